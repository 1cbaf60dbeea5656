// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension Gate {
  /// Compares the tests that markers named, so that a regression names the test that does more.
  ///
  /// A baseline without tests compares none.
  func compareTests(
    of profile: Profile, with baseline: BaselineV1, isSameSQLite: Bool,
    into result: inout GateResult
  ) {
    guard let tests = baseline.tests else { return }
    let known = Dictionary(tests.map { ($0.sql, $0) }, uniquingKeysWith: { first, _ in first })
    let now = BaselineV1(profile).tests ?? []
    for test in now {
      let before = known[test.sql]
      let difference = GateResult.Difference(
        sql: test.sql, statement: nil, caller: .unknown,
        changes: changes(before, test, isSameSQLite: isSameSQLite))
      if before == nil {
        result.appeared.append(difference)
      } else if difference.changes.contains(where: \.isWorse) {
        result.regressions.append(difference)
      } else if difference.changes.isEmpty {
        result.unchanged += 1
      } else {
        result.improvements.append(difference)
      }
    }
    let present = Set(now.map(\.sql))
    result.gone += tests.filter { !present.contains($0.sql) }.map(Self.gone)
  }
}
