// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes traces and logs for other tools.",
    discussion: """
      trace-report export trace/ --format perfetto -o trace.json     for https://ui.perfetto.dev
      trace-report export trace/ --format csv --table statements     for a spreadsheet
      trace-report export trace/ --format openmetrics -o store.prom  for Prometheus
      trace-report export trace/ --format otlp -o trace.jsonl        for OpenTelemetry, as lines of JSON
      trace-report export trace/ --format rows -o rows/              for DuckDB, ClickHouse, Spark

      Perfetto and the CSV of events are written while the trace is read, whatever its length, and \
      accept no saved report, which has no events. OTLP has the events as spans and the sums as \
      metrics; it contains no value that a statement binds. Each line is one request, as the collector's file \
      receiver reads it; curl sends one.
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case perfetto, json, csv, openmetrics, otlp, rows
  }

  enum Table: String, CaseIterable, ExpressibleByArgument { case events, statements }

  @OptionGroup var inputs: Inputs
  @OptionGroup var filters: Filters

  @Option(help: "The format to write.")
  var format: Format

  @Option(
    name: .shortAndLong,
    help: "The file to write, standard output by default; with --format rows the folder.",
    completion: .file())
  var output: String?

  @Option(help: "The rows of the CSV.")
  var table = Table.events

  @Option(help: "The number of statements with metrics of their own, for openmetrics.")
  var top = 100

  @OptionGroup var texts: Texts

  func validate() throws {
    if top < 1 { throw ValidationError("--top takes a number from 1 up, not \(top).") }
    if format == .rows, output == nil {
      throw ValidationError("--format rows writes a folder: name it with -o DIR.")
    }
  }

  private var isOfEvents: Bool { format == .perfetto || (format == .csv && table == .events) }

  func run() throws {
    ReadingInterruption.catchSignals()
    if format == .rows, let output {
      let export = RowsExport(inputs: inputs, filter: filters.value, folder: output)
      let count = try export.run()
      return Output.print(
        "Wrote \(count.counted("event")) and the sums to \(LogText.escaped(output))\n")
    }
    let file = try OutputFile(output)
    if format == .otlp {
      try OTLPExport(inputs: inputs, filter: filters.value, write: file.write).run()
      return try file.finish()
    }
    if isOfEvents { return try writeEvents(to: file) }
    let profile = try inputs.profile(filters.value)
    try inputs.check(profile)
    switch format {
    case .json:
      try file.write(JSONText.encoded(ReportV1(SharedProfile(profile, withSQL: texts.withSQL))))
    case .csv: try file.write(StatementTable.csv(profile))
    case .openmetrics: try file.write(ProfileMetrics.text(profile, top: top))
    case .perfetto, .otlp, .rows: break
    }
    try file.finish()
  }

  private func writeEvents(to file: OutputFile) throws {
    var progress = Progress("events read")
    defer { progress.end() }
    var count = Count()
    let write: (String) throws -> Void = { try file.write($0) }
    for path in inputs.paths where try InputContent.isJSON(path: path) {
      throw SavedReportError.noEvents(path)
    }
    let report: ReadingReport
    if format == .perfetto {
      var trace = try PerfettoTrace(write: write)
      report = try read(&count, &progress) { try trace.add($0) }
      try trace.finish(missing: report.doubts)
    } else {
      var table = try EventTable(write: write)
      report = try read(&count, &progress) { try table.add($0) }
      try table.finish(missing: report.doubts)
    }
    try file.finish()
    try judge(report, count)
  }

  /// The number of events, and the number of events with counts that passed the filters.
  private struct Count {
    var read: UInt64 = 0
    var written: UInt64 = 0
  }

  private func read(
    _ count: inout Count, _ progress: inout Progress, _ body: (EventRecord) throws -> Void
  ) throws -> ReadingReport {
    var selection = EventSelection(filters.value)
    var written: UInt64 = 0
    func write(_ record: EventRecord) throws {
      try body(record)
      switch record.event {
      case .fetchEnd, .cacheMiss, .fault, .saveEnd, .busy, .checkpoint, .statementRun: written += 1
      // Always written, because other events refer to them.
      default: break
      }
    }
    let report = try TraceReader.read(inputs.paths, progress: { progress.report($0) }) { record in
      try selection.add(record, write)
      count.read += 1
    }
    try selection.finish(write)
    count.written = written
    return report
  }

  /// The file is well-formed, but events may be missing.
  private func judge(_ report: ReadingReport, _ count: Count) throws {
    if count.read == 0 { throw Failure.noEvents(inputs.paths) }
    if count.written == 0, !filters.value.isEmpty {
      throw Failure.nothing(
        of: filters.value.words, in: inputs.paths, entities: inputs.entities)
    }
    for sentence in report.doubts { Output.complain(LogText.escaped(sentence)) }
  }
}
