// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

extension Document {
  /// A frame without a screen: one block of text per interval.
  public init(_ frame: TopFrame, time: String, top: Int = 10) {
    let length = Cell.duration(frame.interval.duration).text
    self.init(title: "\(time)  \(frame.title)  \(length) of \(frame.clock)")
    if case .ended(let reason) = frame.state { add(reason) }
    blocks += frame.warnings.map { .paragraph($0, .bad) }
    blocks.append(.facts(frame.rates))
    add("In all \(frame.totals).", .quiet)
    blocks += Self.statements(of: frame, top: top)
    blocks += Self.faults(of: frame, top: top)
    blocks += frame.interval.findings.map { finding in
      let location = finding.caller.text ?? finding.object
      return .paragraph(
        "\(finding.severity.rawValue): \(finding.rule)\(location.isEmpty ? "" : " at \(location)"): "
          + finding.message, finding.severity == .warning ? .bad : .plain)
    }
    add("")
  }

  private static func statements(of frame: TopFrame, top: Int) -> [Block] {
    let statements = frame.statements.prefix(top)
    guard !statements.isEmpty else { return [] }
    let rows = statements.map { statement in
      let group = statement.group
      let caller = group.caller.text ?? "unknown caller"
      return Table.Row(
        TopColumn.allCases.map { .text($0.text(statement, frame)) },
        notes: [
          group.statement.sql.map { .sql($0) }
            ?? .text("the text of this statement was not seen"),
          .text("\(group.statement.id) · \(caller)"),
        ])
    }
    return [.table(TopColumn.allCases.map { .number($0.title) }, rows)]
  }

  private static func faults(of frame: TopFrame, top: Int) -> [Block] {
    let interval = frame.interval
    guard !interval.faults.isEmpty else { return [] }
    let rows = interval.faults.prefix(top).map { faults in
      Table.Row([
        .number(interval.perSecond(faults.missesAdded)),
        .number(interval.perSecond(faults.hitsAdded)), .count(faults.profile.misses),
        .text(faults.profile.origin.name),
        .location(faults.profile.origin.location.text ?? "unknown"),
      ])
    }
    let columns = Table.columns(
      numbers: "misses/s", "hits/s", "misses", texts: "fault", "fetched at")
    return [.table(columns, rows)]
  }
}
