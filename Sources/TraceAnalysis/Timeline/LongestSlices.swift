// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The longest events of a trace, in bounded memory.
struct LongestSlices {
  // 2000 is arbitrary: more rectangles than a window shows apart, in 100 kB.
  private static let capacity = 2000
  /// A binary heap: none is longer than the two at twice its index, so that the first is the shortest.
  private var heap: [Timeline.Slice] = []
  private(set) var offered: UInt64 = 0
  /// The shortest of them; -1 while there is room.
  private var shortest: Nanoseconds = -1

  /// Counts an event, and returns whether it is one of the longest so far.
  mutating func accepts(_ duration: Nanoseconds) -> Bool {
    offered.add(1)
    return duration > shortest
  }

  /// Adds an event that ``accepts(_:)`` counted.
  mutating func add(_ slice: Timeline.Slice) {
    if heap.count < Self.capacity {
      heap.append(slice)
      moveUp(from: heap.count - 1)
    } else {
      heap[0] = slice
      moveDown()
    }
    if heap.count == Self.capacity { shortest = heap[0].duration }
  }

  private mutating func moveUp(from index: Int) {
    var index = index
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[index].duration < heap[parent].duration else { return }
      heap.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func moveDown() {
    var index = 0
    while true {
      var shortest = index
      for child in (2 * index + 1)...(2 * index + 2)
      where child < heap.count && heap[child].duration < heap[shortest].duration {
        shortest = child
      }
      guard shortest != index else { return }
      heap.swapAt(index, shortest)
      index = shortest
    }
  }

  /// By start time, outer ones first, each with its depth in its lane.
  var byBeginning: [Timeline.Slice] {
    var slices = heap.sorted {
      ($0.begin, $1.duration, $0.kind.rawValue) < ($1.begin, $0.duration, $1.kind.rawValue)
    }
    var open: [Int: [Nanoseconds]] = [:]
    for index in slices.indices {
      let slice = slices[index]
      let around = (open[slice.lane] ?? []).filter { $0 > slice.begin }
      slices[index].depth = around.count
      open[slice.lane] = around + [slice.end]
    }
    return slices
  }
}
