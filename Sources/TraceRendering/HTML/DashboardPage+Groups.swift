// SPDX-License-Identifier: Apache-2.0

import Dashboards
import StoreEvents
import TraceAnalysis
import TraceReading

extension DashboardPage {
  /// Callers, faults, entities, saves, contexts and processes, as far as there are any.
  var groupSections: [Dashboards.Section] {
    let options = SummaryOptions(top: top)
    let contexts = profile.groups(by: .context)
    let processes = profile.groups(by: .process)
    return [
      section(of: callers, anchor: "callers", name: "Callers", first: "line of code"),
      Dashboards.Section(
        Document.faults(of: profile, options: options), anchor: "faults", name: "Faults",
        sortedBy: "misses", minor: ["rows", "/fetch"]),
      Dashboards.Section(
        Document.entities(of: profile, options: options), anchor: "entities", name: "Entities",
        sortedBy: "total", minor: ["rows", "misses"]),
      savesSection(options),
      contexts.count > 1
        ? section(of: contexts, anchor: "contexts", name: "Contexts", first: "context") : nil,
      processes.count > 1
        ? section(of: processes, anchor: "processes", name: "Processes", first: "process") : nil,
    ].compactMap(\.self)
  }

  /// The saves, each with where its time goes.
  private func savesSection(_ options: SummaryOptions) -> Dashboards.Section? {
    var section = Dashboards.Section(
      Document.saves(of: profile, options: options), anchor: "saves", name: "Saves",
      sortedBy: "total", minor: ["ins", "upd", "del"])
    section?.open { row in
      let save = profile.saves[row]
      var times = Dashboards.Part("How long a save takes")
      times.meters = LatencyHistogram(save.latency).meters
      var parts = Dashboards.Part("Where the time goes")
      let others = max(0, save.totalTime &- save.waitTime &- save.writeTime &- save.commitTime)
      let isWhole = save.measures.contains(.commitTime)
      let segments: [(String, Nanoseconds?)] = [
        ("waiting for the lock", save.known(\.waitTime)), ("other", isWhole ? others : nil),
        ("writing", save.known(\.writeTime)), ("committing", save.known(\.commitTime)),
      ]
      parts.segments = Dashboards.Segment.segments(
        segments.compactMap { name, time in time.map { (name, Double($0)) } })
      return Dashboards.Sheet(
        summary: "anatomy of \(save.location.text ?? "unknown")".visible, left: [parts],
        right: [times])
    }
    return section
  }

  private func section(
    of groups: [GroupProfile], anchor: String, name: String, first: String
  ) -> Dashboards.Section? {
    guard !groups.isEmpty else { return nil }
    let whole = groups.reduce(0.0) { $0 + Double($1.totalTime) }
    let listed = groups.prefix(top)
    let table = Dashboards.Table(
      name: anchor, caption: name,
      columns: [Dashboards.Column(first, style: "text")]
        + Document.workColumns.map { $0.html(minor: Self.minorColumns.union(["mean"])) },
      rows: listed.map { group in
        var row = Dashboards.Row(
          [Cell.text(group.name).html]
            + Document.cells(group, share: whole).map(\.html))
        row.notes = [group.work.notes(misses: 0).text, group.others].filter { !$0.isEmpty }
          .map { Dashboards.Line($0.visible) }
        return row
      }, sortedBy: "total", isSearchable: groups.count > 10)
    return Dashboards.Section(
      anchor: anchor, name: name, heading: "\(name)\(Document.rest(groups.count, listed.count))",
      blocks: [.table(table)])
  }

  /// The sources read, and their lines that no rule recognizes.
  var sourcesSection: Dashboards.Section? {
    guard !profile.reading.sources.isEmpty else { return nil }
    let columns = Table.columns(
      "source", "kind", numbers: "events", "lost", "lines not recognized")
    let rows = profile.reading.sources.map { source in
      Table.Row([
        .text(source.path), .text(source.kind.rawValue), .count(source.eventsRead),
        source.recordsLosses || source.eventsLost > 0 ? .count(source.eventsLost) : .none,
        .count(source.unrecognizedLines),
      ])
    }
    let notes =
      profile.reading.sources.flatMap(\.unrecognizedSamples).map { "not recognized: \($0)" }
      + profile.stores.map(\.sentence)
    return Dashboards.Section(
      [.heading("Sources"), .table(columns, rows)] + notes.map { .paragraph($0, .quiet) },
      anchor: "sources", name: "Sources")
  }
}

extension StoreProfile {
  /// The facts that its opening recorded: the probe has no journal mode and no size of pages, Core
  /// Data's log no version.
  fileprivate var sentence: String {
    var parts = ["store \(path)"]
    if !journalMode.isEmpty { parts.append(journalMode) }
    if pageSize > 0 { parts.append("pages of \(Cell.bytes(pageSize).text)") }
    if !sqliteVersion.isEmpty { parts.append("SQLite \(sqliteVersion)") }
    return parts.joined(separator: ", ")
  }
}
