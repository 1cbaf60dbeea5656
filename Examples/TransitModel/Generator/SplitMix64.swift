// SPDX-License-Identifier: Apache-2.0

/// Steele, Lea and Flood's generator: the same seed makes the same numbers on every machine.
///
/// Related: <https://doi.org/10.1145/2660193.2660195>
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number from 0 up to, but not including, 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// An index below a count, which is small against 2⁶⁴: the bias cannot be seen.
  mutating func index(below count: Int) -> Int { Int(next() % UInt64(count)) }

  /// A number near 0 in a bell of deviation 1, cut at ±6: the sum of twelve units less six.
  ///
  /// Only sums, so the result does not depend on a mathematics library.
  mutating func bell() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + unit() } }
}
