// SPDX-License-Identifier: Apache-2.0

/// Primary keys in the order of a fetch: four bytes each while all of them fit, otherwise eight.
struct KeyList {
  private var short: [Int32] = []
  private var long: [Int64] = []
  private var isLong = false

  init() {}

  init(_ keys: some Sequence<Int64>) { for key in keys { append(key) } }

  var count: Int { isLong ? long.count : short.count }

  /// Each key once, where it comes first.
  var withoutRepetitions: KeyList {
    var known: Set<Int64> = []
    let all = self[0..<count]
    let first = all.filter { known.insert($0).inserted }
    return first.count == all.count ? self : KeyList(first)
  }

  subscript(index: Int) -> Int64 { isLong ? long[index] : Int64(short[index]) }

  subscript(range: Range<Int>) -> [Int64] {
    isLong ? Array(long[range]) : short[range].map(Int64.init)
  }

  mutating func append(_ key: Int64) {
    if !isLong {
      if let key = Int32(exactly: key) { return short.append(key) }
      isLong = true
      long = short.map(Int64.init)
      short = []
    }
    long.append(key)
  }
}
