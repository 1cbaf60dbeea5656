// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import StoreEvents
import TraceAnalysis
public import TraceRendering

struct Summary: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary",
    abstract:
      "Shows the verdict on traces and logs: the worst findings and the totals (the default).",
    discussion: """
      trace-report summary trace/ --all
      trace-report summary trace/ --since 2s --entity Stop --sort p95
      trace-report summary trace/ --group-by caller
      trace-report summary app.log --database Model.sqlite --model Model.xcdatamodeld
      trace-report summary trace/ --markdown comment.md --sarif findings.sarif
      """)

  @OptionGroup var reviewed: ReviewedInputs

  @Flag(help: "Print JSON, schemaVersion 1, with every statement.")
  var json = false

  @Flag(help: "With --json, leave out what another command needs to read the report again.")
  var withoutProfile = false

  @OptionGroup var brief: BriefOptions

  @Flag(help: "Print the table of statements.")
  var statements = false

  @Flag(help: "Print everything: all findings, statements, faults, saves, transactions and waits.")
  var all = false

  @Option(
    help: "The number of statements to list, with --statements; 10 by default, all with --json.")
  var top: Int?

  @Option(help: "The order of the statements, with --statements; by total time by default.")
  var sort: SummaryOptions.Order?

  @Option(help: "Print totals by this key in place of the usual tables.")
  var groupBy: Grouping?

  @Option(
    help: "Also write Markdown for a comment on a pull request to this file.", completion: .file())
  var markdown: String?

  @Option(
    help: "Also write the findings as SARIF 2.1.0 to this file, for code scanning.",
    completion: .file())
  var sarif: String?

  @Option(
    help: "The folder in which the source files of SARIF are searched.", completion: .directory)
  var sourceRoot = "."

  @OptionGroup var texts: Texts

  @Option(help: "Exit with 2 on a finding without an exception: warning, or note for any.")
  var failOn: FailOn?

  enum FailOn: String, ExpressibleByArgument, CaseIterable { case warning, note }

  func validate() throws {
    try brief.validate(json: json)
    if withoutProfile, !json { throw ValidationError("--without-profile is an option of --json.") }
    if let top, top < 1 { throw ValidationError("--top takes a number from 1 up, not \(top).") }
  }

  func run() throws {
    let (inputs, filter) = (reviewed.inputs, reviewed.filters.value)
    if inputs.paths.count == 1, let folder = IncidentList(ifFlightRecorders: inputs.paths[0]) {
      guard !json, filter.isEmpty else {
        throw ValidationError("\(inputs.paths[0]) holds incidents; name one of its folders.")
      }
      return Output.print(folder.document.text(.ofStandardOutput))
    }
    if !json, inputs.paths.count == 1, let incident = IncidentList.incident(in: inputs.paths[0]) {
      Output.print(incident.document.text(.ofStandardOutput) + "\n")
    }
    if let plans = try PlanTextSource.command(
      for: inputs.paths, database: reviewed.database, json: json, failsOnScan: failOn != nil)
    {
      guard filter.isEmpty, groupBy == nil, markdown == nil, sarif == nil else {
        throw ValidationError("\(inputs.paths[0]) is a plan as text: use trace-report plans.")
      }
      return try plans.run()
    }
    var (profile, workload, review) = try reviewed.read()
    let options = SummaryOptions(
      top: top ?? (json ? .max : 10), order: sort ?? .total, grouping: groupBy,
      parts: all ? .all : .statements)
    if brief.brief {
      try Output.print(brief.text(BriefV1(profile, review: review, after: reviewed.words)))
    } else if json {
      workload.addPlans(to: &profile)
      let shared = SharedProfile(profile, withSQL: texts.withSQL)
      let report = ReportV1(shared, options: options, review: review, withProfile: !withoutProfile)
      try Output.print(JSONText.encoded(report))
    } else if all || statements || top != nil || sort != nil || groupBy != nil {
      let document = Document(summary: profile, options: options, review: review)
      Output.print(document.text(.ofStandardOutput))
    } else {
      let commands = NextCommand.after(reviewed.words, RunVerdict(profile, review))
      Output.print(
        FirstScreen(profile, review: review, commands: commands).text(.ofStandardOutput))
    }
    if let markdown {
      var options = options
      options.parts = .all
      let shared = SharedProfile(profile, withSQL: texts.withSQL)
      let comment = Document(summary: shared, options: options, review: review)
      try Output.write(comment.markdown(), toFile: markdown)
    }
    if let sarif { try write(review, in: profile, toFile: sarif) }
    try inputs.check(profile)
    try workload.checkDatabase()
    try judge(review, profile.completeness)
  }

  private func write(
    _ review: FindingReview, in profile: Profile, toFile path: String
  ) throws {
    let locations = ResultLocations(inputs: reviewed.inputs.paths, sourceRoot: sourceRoot)
    let log = SARIFLog(
      findings: review.findings, in: profile, version: TraceReport.configuration.version,
      location: locations.location)
    try Output.write(JSONText.encoded(log), toFile: path)
  }

  /// Lost events may hide a finding, so a run without findings is then inconclusive.
  private func judge(_ review: FindingReview, _ completeness: Completeness) throws {
    guard let failOn else { return }
    let count = review.findings.count { failOn == .note || $0.severity == .warning }
    if count > 0 {
      throw Failure(
        "\(count.counted("finding is", "findings are")) not excused", status: ExitStatus.regression)
    }
    let doubts = completeness.doubts + completeness.failures + completeness.cutLogs
    if !doubts.isEmpty {
      throw Failure(
        "no finding, but events may be missing: \(doubts.joined(separator: "; "))",
        status: ExitStatus.inconclusive)
    }
  }
}

extension SummaryOptions.Order: ExpressibleByArgument {}
