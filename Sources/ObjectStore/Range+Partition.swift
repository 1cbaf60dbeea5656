// SPDX-License-Identifier: Apache-2.0

extension Range<Int> {
  /// The first index at which a condition holds, which then holds at all later ones; the end if it holds at none.
  @inline(__always)
  func partitioningIndex<Failure: Error>(
    where condition: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if try condition(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
