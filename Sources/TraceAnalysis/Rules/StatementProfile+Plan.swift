// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

extension StatementProfile {
  /// Whether the source counted its work; Core Data's log does not.
  var isCounted: Bool { work.vmSteps > 0 }

  var scanEvidence: [Finding.Evidence] {
    [
      .init("runs", work.count), .init("rows", work.rows),
      .init("fullScanSteps", work.fullScanSteps), .init("connectionNs", work.connectionTime),
    ]
  }
}
