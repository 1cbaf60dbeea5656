// SPDX-License-Identifier: Apache-2.0

import QueryPlans

extension JudgedStatement {
  /// Whether the text and the rows of its runs are all that is known: no counters and no plan.
  var isTextOnly: Bool {
    !profile.isCounted && plan == nil && profile.work.errors < profile.work.count
  }

  /// An index in the terms of the program that ran the statement.
  func sentence(_ fix: IndexFix) -> String {
    isFromCoreData || names.map(fix.isNamed(by:)) == true ? fix.fetchIndexes(names) : fix.sentence
  }
}

extension StatementProfile {
  /// Whether the source counted its work; Core Data's log does not.
  var isCounted: Bool { work.vmSteps > 0 }

  var scanEvidence: [Finding.Evidence] {
    evidence([.init("fullScanSteps", work.fullScanSteps)])
  }

  /// The runs with some counts of SQLite, which are left out where the source has none.
  func evidence(_ counts: [Finding.Evidence]) -> [Finding.Evidence] {
    [.init("runs", work.count), .init("rows", work.rows)] + (isCounted ? counts : [])
      + [.init("connectionNs", work.connectionTime)]
  }
}
