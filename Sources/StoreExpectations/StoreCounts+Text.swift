// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension StoreCounts {
  /// The statements that ran, most runs first, each with the lines that requested it.
  var report: String {
    let lines = uses.sorted { a, b in
      a.value.runs != b.value.runs
        ? a.value.runs > b.value.runs : text(a.key, a.value) < text(b.key, b.value)
    }.map { "  " + text($0.key, $0.value) }
    return lines.isEmpty ? "  no statement ran" : lines.joined(separator: "\n")
  }

  /// `15× SELECT … FROM ZSTOPTIME t0 WHERE  t0.ZSTOP = ?  — 70 rows, of faults on objects fetched
  /// at transit/Search.swift:42`.
  private func text(_ use: Use, _ amount: Amount) -> String {
    let sql = texts[use.statement].map { LogText.escaped($0) } ?? "a statement"
    let location = use.location.file.isEmpty ? "" : "\(use.location.file):\(use.location.line)"
    let origin =
      use.isMiss
      ? ", for faults" + (location.isEmpty ? "" : " of objects fetched at \(location)")
      : location.isEmpty ? "" : ", at \(location)"
    let scans = amount.fullScanSteps > 0 ? ", \(amount.fullScanSteps) full-scan steps" : ""
    let rows = amount.rows == 1 ? "1 row" : "\(amount.rows) rows"
    return "\(amount.runs)× \(sql) — \(rows)\(scans)\(origin)"
  }
}
