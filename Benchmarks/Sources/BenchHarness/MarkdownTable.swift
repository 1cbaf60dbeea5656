// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Measurement {
  /// One row a contender: time a unit, ratio to its reference with the 95% interval, goals; memory,
  /// rates, published figures, and the processor time of threads, where there are any.
  package var markdown: String {
    let columns = columns
    var lines = [
      "### \(comparison.title)", "",
      "| " + columns.map(\.title).joined(separator: " | ") + " |",
      "|" + String(repeating: "---|", count: columns.count),
    ]
    for index in comparison.contenders.indices {
      lines.append("| " + columns.map { $0.cell(index) }.joined(separator: " | ") + " |")
    }
    let count = rounds == 1 ? "1 round" : "\(rounds) rounds"
    let basis = count + (rounds < 6 ? "; intervals are their whole range" : "")
    lines += ["", remark.isEmpty ? "\(basis)." : "\(basis). \(remark)"]
    return lines.joined(separator: "\n")
  }

  private typealias Column = (title: String, cell: (Int) -> String)

  private var columns: [Column] {
    let contenders = comparison.contenders
    var columns: [Column] = [
      ("", { contenders[$0].name }),
      ("time per \(comparison.units.name)", { Cell.time(times($0).median) }),
      ("ratio to \(contenders[0].name)", ratioText),
    ]
    if usesThreads {
      columns.append(("processor time", { processorTime($0).map(Cell.time) ?? "" }))
    }
    if contenders.contains(where: { $0.bytes != nil }) {
      columns.append(("\(comparison.units.name)s per second", rateText))
    }
    if memory.contains(where: { $0 != nil }) {
      columns.append(
        ("peak memory", { memory[$0].map { String(format: "%.1f MB", Double($0) / 1e6) } ?? "" }))
    }
    if contenders.contains(where: { $0.published != nil }) {
      columns.append(("published", { contenders[$0].published ?? "" }))
    }
    if contenders.contains(where: { $0.goal != nil }) {
      columns.append(
        (
          "goal",
          { verdicts($0).map { "\($0.goal): \($0.outcome.rawValue)" }.joined(separator: "; ") }
        )
      )
    }
    return columns
  }

  private func ratioText(_ index: Int) -> String {
    let reference = reference(of: index)
    guard index != reference else { return "1" }
    let ratio = Cell.ratio(ratio(index, to: reference))
    return reference == 0 ? ratio : "\(ratio) to \(comparison.contenders[reference].name)"
  }

  private func rateText(_ index: Int) -> String {
    let rate = 1e9 / times(index).median
    let megabytes = comparison.contenders[index].bytes.map {
      ", \(Cell.count(Double($0) / Double(count(index)) * rate / 1e6)) MB/s"
    }
    return Cell.count(rate) + (megabytes ?? "")
  }
}
