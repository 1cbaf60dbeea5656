// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The most that one test does with each statement in each function.
///
/// Some rules count the work of a whole run: one test more may pass their limits, and a statement of two functions is
/// reported at the slower one.
struct WorkPerTest {
  private struct Entry {
    var function: String?
    var counts: [UInt64]
  }

  private var entries: [String: [Entry]] = [:]

  init(_ tests: [TestForms]) {
    // VM steps vary a little.
    let metrics = GateMetric.ofStatements.filter { $0.0 != .vmSteps }.map(\.1)
    for form in tests.flatMap({ $0.forms.merged(by: \.functionKey) { $0.add($1) } }) {
      let counts = metrics.map { $0(form.counts) ?? 0 }
      let index = entries[form.shape]?.firstIndex { $0.function == form.function }
      if let index, let old = entries[form.shape]?[index].counts {
        entries[form.shape]?[index].counts = zip(old, counts).map(max)
      } else {
        entries[form.shape, default: []].append(Entry(function: form.function, counts: counts))
      }
    }
  }

  /// Nil if no test ran the statement there.
  func counts(of finding: KnownFinding) -> [UInt64]? {
    let function = finding.function.map(TestForms.word)
    let found = (entries[finding.key.shape] ?? []).filter { entry in
      guard let function, let other = entry.function else { return true }
      return CallerFunction.isSame(function, other)
    }
    return found.dropFirst().reduce(found.first?.counts) { sum, entry in
      sum.map { zip($0, entry.counts).map(max) }
    }
  }

  /// Whether a finding does not stand for more work in a test: it is outside of the tests' calls, or the baseline's tests
  /// did as much there.
  func isNoMore(_ finding: KnownFinding, than known: Self) -> Bool {
    guard finding.sql != nil else { return false }
    guard let now = counts(of: finding) else { return true }
    guard let before = known.counts(of: finding) else { return false }
    return zip(now, before).allSatisfy { $0 <= $1 }
  }
}
