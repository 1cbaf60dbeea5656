// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
import TraceAnalysis

extension PlanVerdict {
  /// The word on a terminal.
  var words: String {
    switch self {
    case .search: "search"
    case .harmlessScan: "harmless scan"
    case .fullScan: "FULL SCAN"
    case .error: "error"
    }
  }

  var ink: TextStyle.Ink {
    switch self {
    case .search: .green
    case .harmlessScan: .cyan
    case .fullScan: .red
    case .error: .yellow
    }
  }
}

extension PlanJudgement.Scan {
  private var place: String { table ?? name }

  private var rows: String {
    guard let size else { return "" }
    return " (\(size.isAtLeast ? "at least " : "")\(size.rows.counted("row")))"
  }

  /// What is read, and why that matters or not.
  var sentence: String {
    switch harmlessBecause {
    case nil: fullScanSentence
    case .constantRow: "reads a constant row, no table"
    case .subqueryResult: "reads the rows of '\(name)', a subquery"
    case .limit: "scans '\(place)'\(rows), but stops when it has its rows"
    case .smallTable: "scans '\(place)'\(rows): a small table"
    case .coveringIndex:
      "reads every entry of index '\(index ?? "")' of '\(place)'\(rows), and not the table"
    case .virtualTable: "asks the virtual table '\(place)', which searches by its own means"
    case .valueList: "reads '\(place)', the values of an IN list"
    case .countedFew:
      "scans '\(place)'\(rows), but the trace counted at most "
        + "\(PlanJudge.smallTableRows) full-scan steps a run"
    }
  }

  private var fullScanSentence: String {
    let how = index.map { ", in the order of index '\($0)'" } ?? ""
    let often = isInCorrelatedSubquery ? " once for every row of the outer SELECT" : ""
    let why =
      comparedColumns.isEmpty
      ? "; no WHERE term narrows it"
      : "; no index fits its WHERE"
    return "reads every row of '\(place)'\(rows)\(how)\(often)\(why)"
  }

  /// An index that might turn the scan into a search; a guess, not a trial.
  var indexHint: String? {
    guard harmlessBecause == nil, let table, !comparedColumns.isEmpty else { return nil }
    let index = ([table] + comparedColumns).joined(separator: "_")
    let name = SQLName.quotedIfNeeded
    return "CREATE INDEX \(name(index)) ON \(name(table))"
      + "(\(comparedColumns.map(name).joined(separator: ", ")))"
  }
}

extension PlanJudgement {
  /// What else is worth knowing of the plan.
  var remarks: [String] {
    var remarks = temporaryBTrees.map {
      "uses a temporary b-tree for \($0): no index has that order"
    }
    for table in automaticIndexes {
      remarks.append("makes an index on '\(table)' at every run: a lasting one would be cheaper")
    }
    if let steps = unexplainedFullScanSteps {
      remarks.append(
        "the trace counted \(steps.counted("full-scan step")) a run, which this plan does not "
          + "explain: the traced database may lack an index that this one has")
    }
    return remarks
  }
}
