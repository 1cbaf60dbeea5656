// SPDX-License-Identifier: Apache-2.0

/// Adds up profiles one by one, in memory and time that hardly depend on how many there are.
///
/// Works like a binary counter: sums of the same number of profiles are merged, so the number of
/// merges of a profile is at most the number of digits of the count.
public struct ProfileSum {
  private var parts: [(count: Int, profile: Profile)] = []
  private let maxForms: Int

  /// - Parameter maxForms: the maximum number of rows by form and location; the others are one row.
  public init(maxForms: Int = Bounds.forms) { self.maxForms = maxForms }

  /// Adds a profile.
  public mutating func add(_ profile: Profile) {
    parts.append((1, profile))
    while parts.count > 1, parts[parts.count - 2].count == parts[parts.count - 1].count {
      let last = parts.removeLast()
      let before = parts.removeLast()
      // Rows are cut at the end alone: cut in between, the choice would depend on the order.
      parts.append((before.count + last.count, .merged([before.profile, last.profile])))
    }
  }

  /// The sum; nil if nothing was added.
  public var profile: Profile? {
    guard !parts.isEmpty else { return nil }
    return .merged(parts.map(\.profile), maxForms: maxForms)
  }
}
