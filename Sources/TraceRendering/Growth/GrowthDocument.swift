// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
public import TraceAnalysis

extension Document {
  /// The statements that grow like a scan, then the others.
  public init(growth: Growth) {
    self.init(title: "growth: \(growth.verdict.words)")
    blocks += growth.doubts.map { .paragraph("  - " + $0, .bad) }
    let rows = growth.statements.map { statement in
      Table.Row(
        [.text(statement.verdict.words), .slope(statement.vmSteps), .quality(statement.vmSteps)]
          + [.slope(statement.fullScanSteps), .slope(statement.rows), .slope(statement.runs)]
          + statement.points.suffix(1).map { .count(UInt64($0.vmSteps.rounded())) },
        notes: [
          .sql(statement.fingerprint.description),
          .text("\(statement.statement) · \(statement.caller.text ?? "unknown caller")"),
        ])
    }
    let columns: [Table.Column] =
      [.text("verdict")]
      + ["VM steps", "fit", "scan steps", "rows", "runs", "steps at most"].map { .number($0) }
    if !rows.isEmpty {
      blocks.append(.heading("Slopes: 0 is the same work at every size, 1 grows as the store does"))
      add(columns, rows)
    }
    let repeated = growth.statements.count { $0.runsGrow }
    if repeated > 0 {
      add(
        """
        \(repeated.counted("statement runs", "statements run")) more often in a larger store: in a \
        loop over its rows, or because the program does more.
        """)
    }
    if growth.verdict == .growsLikeScan {
      add(
        "What grows like a scan does not return more rows for it: see its plan, and advise.", .bad)
    }
  }
}

extension Cell {
  fileprivate static func slope(_ fit: GrowthFit?) -> Cell {
    fit.map { .text($0.slope.twoDigits) } ?? .none
  }

  fileprivate static func quality(_ fit: GrowthFit?) -> Cell {
    fit.map { .ratio($0.quality) } ?? .none
  }
}

extension Double {
  fileprivate var twoDigits: String {
    let hundredths = Int((magnitude * 100).rounded())
    let rest = hundredths % 100
    return
      "\(self < 0 && hundredths > 0 ? "-" : "")\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}

extension Growth.Verdict {
  var words: String {
    switch self {
    case .search: "search"
    case .growsLikeScan: "GROWS LIKE A SCAN"
    case .growsWithRows: "grows with its rows"
    case .inconclusive: "inconclusive"
    }
  }
}
