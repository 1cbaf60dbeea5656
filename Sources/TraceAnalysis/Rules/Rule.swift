// SPDX-License-Identifier: Apache-2.0

/// Looks for one kind of waste in a profile.
///
/// A rule returns values; severity thresholds of a run and output belong to the tool.
public protocol Rule: Sendable {
  /// Finds what the rule forbids.
  func check(_ profile: Profile) -> [Finding]
}

/// The rules of this version, each in a file of its own.
public enum Rules {
  public static let all: [any Rule] = []
}

extension Profile {
  /// What all rules find: warnings first, then by what they can save.
  public var findings: [Finding] {
    Rules.all.flatMap { $0.check(self) }.sorted { a, b in
      if a.severity != b.severity { return a.severity > b.severity }
      let (x, y) = (a.savesAtMost ?? 0, b.savesAtMost ?? 0)
      return x != y ? x > y : (a.rule, a.message) < (b.rule, b.message)
    }
  }
}
