// SPDX-License-Identifier: Apache-2.0

import HeapModule
import StoreEvents

/// The longest events of a trace, in bounded memory.
struct LongestSlices {
  // 2000 is arbitrary: more rectangles than a window shows apart, in 100 kB.
  private static let capacity = 2000
  private var heap = Heap<Entry>()
  private(set) var offered: UInt64 = 0

  private struct Entry: Comparable {
    var slice: Timeline.Slice

    static func < (a: Self, b: Self) -> Bool { a.slice.duration < b.slice.duration }
  }

  mutating func add(_ slice: Timeline.Slice) {
    offered.add(1)
    if heap.count < Self.capacity {
      heap.insert(Entry(slice: slice))
    } else if let shortest = heap.min, shortest.slice.duration < slice.duration {
      heap.replaceMin(with: Entry(slice: slice))
    }
  }

  /// By start time, outer ones first, each with its depth in its lane.
  var byBeginning: [Timeline.Slice] {
    var slices = heap.unordered.map(\.slice).sorted {
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
