// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceAnalysis

extension ProfileDifference {
  /// The findings that came and went, and the counts that changed; no time, which varies.
  ///
  ///     2 findings are gone, 1 is new, 3 stay: statements 1,204 → 12, rows read in full scans
  ///     12,800 → 0.
  public var sentence: String {
    let parts = [
      findings.gone.isEmpty
        ? nil : findings.gone.count.counted("finding is gone", "findings are gone"),
      findings.new.isEmpty
        ? nil : findings.new.count.counted("finding is new", "findings are new"),
      findings.stayed == 0
        ? nil : findings.stayed.counted("finding stays", "findings stay"),
    ].compactMap(\.self)
    let counts = changedCounts
    return (parts.isEmpty ? "No findings in either run" : parts.joined(separator: ", ")) + ": "
      + (counts.isEmpty ? "the counts are the same" : counts.joined(separator: ", ")) + "."
  }

  /// Green where findings are gone or the work is less, nothing is new, and nothing is missing.
  var tone: Document.Tone {
    let isWhole = [before, after].allSatisfy { RunVerdict($0, FindingReview([])).gaps.isEmpty }
    guard findings.new.allSatisfy({ $0.severity == .note }), isWhole else { return .bad }
    return findings.new.isEmpty && (!findings.gone.isEmpty || isLessWork) ? .good : .plain
  }

  private typealias Count = (name: String, before: UInt64, after: UInt64)

  private var counts: [Count] {
    func scans(_ profile: Profile) -> UInt64? {
      let steps = profile.statements.compactMap { $0.work.known(\.fullScanSteps) }
      return steps.isEmpty && !profile.statements.isEmpty ? nil : steps.reduce(0, &+)
    }
    let all: [(String, (Profile) -> UInt64?)] = [
      ("statements", { $0.observed?.runs }),
      ("fetches", { $0.totals.isFromStore ? $0.totals.fetches : nil }),
      ("rows read in full scans", scans), ("cache misses", { $0.known(\.totals.cacheMisses) }),
      ("saves", { $0.totals.isFromStore ? $0.totals.saves : nil }),
      ("commits", { $0.observed == nil ? nil : $0.waits.commits }),
      ("lock waits", { $0.observed == nil ? nil : $0.waits.busyWaits }),
      ("errors", { $0.totals.errors }),
    ]
    return all.compactMap { name, count in
      guard let before = count(before), let after = count(after) else { return nil }
      return (name, before, after)
    }
  }

  private var changedCounts: [String] {
    counts.filter { $0.before != $0.after }.map {
      "\($0.name) \($0.before.grouped) → \($0.after.grouped)"
    }
  }

  private var isLessWork: Bool {
    counts.allSatisfy { $0.after <= $0.before } && counts.contains { $0.after < $0.before }
  }
}
