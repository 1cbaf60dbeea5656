// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Assigns the slices of one thread to lanes in which they nest.
///
/// Slices come by their ends. Two that overlap without nesting, such as slices of tasks that take
/// turns on a thread, need two lanes:
///
///     lane 0   ┌────── fetch ──────┐
///     lane 1           └────── fetch ──────┘
struct SliceLanes {
  private struct Slice {
    var begin: Nanoseconds
    var end: Nanoseconds
  }

  private var lanes: [[Slice]] = []
  // A slice that contains more than this many slices is assumed to contain all before it.
  private static let maxSlices = 1024
  // 64 is arbitrary: more tasks than that at once share the last lane.
  private static let maxLanes = 64

  /// The first lane in which a slice nests.
  mutating func lane(from begin: Nanoseconds, to end: Nanoseconds) -> Int {
    for index in lanes.indices where add(Slice(begin: begin, end: end), to: index) { return index }
    guard lanes.count < Self.maxLanes else { return lanes.count - 1 }
    lanes.append([Slice(begin: begin, end: end)])
    return lanes.count - 1
  }

  private mutating func add(_ slice: Slice, to index: Int) -> Bool {
    let outer = lanes[index].lastIndex { $0.begin < slice.begin }
    if let outer, lanes[index][outer].end > slice.begin { return false }
    // The slices that it contains cannot overlap any later slice.
    lanes[index].removeSubrange((outer.map { $0 + 1 } ?? 0)...)
    lanes[index].append(slice)
    if lanes[index].count > Self.maxSlices { lanes[index].removeFirst(Self.maxSlices / 2) }
    return true
  }
}
