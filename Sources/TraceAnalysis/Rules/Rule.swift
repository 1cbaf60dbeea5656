// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Looks for one kind of waste in a profile.
///
/// A rule returns values; what fails a build, and how it is printed, belongs to the tool.
public protocol Rule: Sendable {
  /// Finds what the rule forbids.
  func check(_ profile: Profile) -> [Finding]
}

/// The rules of this version, each in a file of its own.
public enum Rules {
  public static let all: [any Rule] = [
    AvoidFullTableScan(), UnindexedStringSearch(), UseIndexForSort(), AvoidAutomaticIndex(),
    AvoidFaultStorm(), AvoidRelationshipFaultStorm(),
  ]
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

// MARK: - Words that the rules share

extension StatementProfile {
  /// The line that spent most time on it.
  var mainCaller: SourceLocation { callers.first?.location ?? .unknown }

  /// ` (20 runs)`, or ` (20 runs, from 3 lines of code)`.
  var runsText: String {
    let runs = work.count == 1 ? "1 run" : "\(work.count.grouped) runs"
    return callers.count > 1 ? " (\(runs), from \(callers.count) lines of code)" : " (\(runs))"
  }
}

extension UInt64 {
  /// The digits in groups of three: `12,800`.
  public var grouped: String {
    var result = ""
    for (index, digit) in String(self).reversed().enumerated() {
      if index > 0, index % 3 == 0 { result.append(",") }
      result.append(digit)
    }
    return String(result.reversed())
  }
}

extension Double {
  /// The nearest whole number, its digits in groups of three.
  var wholeText: String { UInt64(exactly: rounded())?.grouped ?? "\(self)" }
}
