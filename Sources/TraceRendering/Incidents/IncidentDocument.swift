// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

extension Document {
  /// One incident: the offender, its plan, and who held the locks.
  public init(incident: IncidentV1, time: String) {
    let name = "incident \(incident.number), \(incident.condition)"
    self.init(title: "\(time)  \(name): \(incident.headline)")
    blocks = [.item(incident.offenderItem)]
    if let plan = incident.plan {
      blocks.append(.heading("Plan"))
      blocks += plan.map { .paragraph("  \($0)") }
    } else if let reason = incident.planError {
      add("No plan: \(reason)", .quiet)
    }
    for locks in incident.locks { blocks += locks.blocks }
  }

  /// The incidents of a folder, and the snapshots that no recorder examined.
  public init(
    incidents: [IncidentV1], unexamined: [String], folder: String, time: (IncidentV1) -> String
  ) {
    self.init(title: "\(folder): \(incidents.count.counted("incident"))")
    let rows = incidents.map { incident in
      Table.Row(
        [
          .count(UInt64(clamping: incident.number)), .text(time(incident)),
          .text(incident.condition), .duration(incident.offender.duration),
          .text(incident.offender.process.title), .known(incident.offender.location),
        ], notes: incident.offender.sql.map { [.sql($0)] } ?? [])
    }
    if !rows.isEmpty {
      let columns =
        Table.columns(numbers: "incident", texts: "time", "condition")
        + Table.columns(numbers: "duration", texts: "program", "line")
      add(columns, rows)
    }
    if let skipped = incidents.compactMap(\.skipped).max() {
      add(
        "\(skipped.counted("more event")) met a condition and \(skipped == 1 ? "has" : "have") "
          + "no incident; events that were overwritten are not counted.", .quiet)
    }
    for name in unexamined {
      add("\(name): not examined, because the recorder was ended; its trace can be read.", .bad)
    }
    if let last = incidents.last {
      add("")
      add("Open one: trace-report incidents \(folder) \(last.number)", .quiet)
    }
  }
}

extension IncidentV1 {
  /// The work of the offender.
  public var headline: String {
    let duration = Cell.duration(offender.duration).text
    let name = offender.process.title
    return switch offender.event {
    case "busy":
      offender.error == nil
        ? "\(name) waited \(duration) for a lock"
        : "\(name) was refused a lock after \(duration)"
    case "save_end": "\(name) saved for \(duration)"
    case "transaction": "a transaction of \(name) took \(duration)"
    case "cache_miss": "\((offender.rows ?? 0).counted("fault")) of \(name) within a second"
    default: "a statement of \(name) took \(duration)"
    }
  }

  fileprivate var offenderItem: Document.Item {
    let scans = offender.fullScanSteps.flatMap { $0 > 0 ? $0 : nil }
    let matches = offender.matches > 1 ? "\(offender.matches.grouped) in the snapshot" : nil
    let lines: [(String, Cell?)] = [
      ("", offender.sql.map { .sql($0) }), ("error", offender.error.map { .text($0) }),
      ("entity", offender.entity.map { .text($0) }),
      ("attempts", offender.attempts.map { .count($0) }),
      (offender.event == "cache_miss" ? "faults" : "rows", offender.rows.map { .count($0) }),
      ("VM steps", offender.vmSteps.map { .count($0) }), ("scan steps", scans.map { .count($0) }),
      ("database", offender.database.map { .text($0) }),
      ("events like it", matches.map { .text($0) }),
    ]
    return Document.Item(
      tone: .bad, headline: headline, location: offender.location.text ?? "",
      lines: lines.compactMap { label, cell in cell.map { .init(label, $0) } })
  }
}

extension LocksV1 {
  fileprivate var blocks: [Document.Block] {
    var lines: [String] = writers.map { "writer lock (\($0.lock)): \($0.process.name)" }
    if lines.isEmpty { lines = ["writer lock: not held when the snapshot was taken"] }
    lines += waiters.map { "\($0.process.name) may wait (\($0.evidence))" }
    lines += readers.filter(\.pinsLog).map { "\($0.process.name) pins the log" }
    for hold in holds where hold.samples > 1 {
      let what = hold.role == "writer" ? "writer lock" : "read mark that pins the log"
      let time = Cell.duration(hold.durationNs).text
      let end =
        hold.isOver
        ? ", until \(Cell.duration(max(0, observedFromNs - hold.untilNs)).text) before" : ""
      lines.append("\(what), held for \(time) by \(hold.program)[\(hold.pid)]\(end)")
    }
    return [.heading("Locks of \(database)")] + lines.map { .paragraph("  \($0)") }
  }
}

extension LocksV1.Process {
  fileprivate var name: String { pid == 0 ? program : "\(program)[\(pid)]" }
}
