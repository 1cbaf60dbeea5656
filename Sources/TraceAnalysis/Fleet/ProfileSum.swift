// SPDX-License-Identifier: Apache-2.0

/// Adds up profiles one by one, in memory and time that hardly depend on how many there are.
///
/// Like the digits of a binary counter: sums of equally many profiles are merged, so that each profile
/// takes part in as many merges as the count has digits.
public struct ProfileSum {
  private var parts: [(count: Int, profile: Profile)] = []
  private let maxForms: Int

  /// - Parameter maxForms: how many rows of forms by place are kept; the rest are one row.
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
