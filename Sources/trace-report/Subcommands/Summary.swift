// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import StoreEvents
import TraceAnalysis
public import TraceRendering

struct Summary: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows totals, statements, callers and findings of traces and logs (the default).",
    discussion: """
      trace-report summary trace/ --since 2s --entity Stop --sort p95
      trace-report summary trace/ --group-by caller
      """)

  @OptionGroup var inputs: Inputs
  @OptionGroup var filters: Filters

  @Flag(help: "Print JSON, schemaVersion 1, with every statement.")
  var json = false

  @Option(help: "How many statements to list; 10 unless told, all with --json.")
  var top: Int?

  @Option(help: "What stands first.")
  var sort: SummaryOptions.Order = .total

  @Option(help: "Add everything up by this, in place of the usual tables.")
  var groupBy: Grouping?

  @Option(
    help: "The database that ran; more rules then look at its indexes. It is only read.",
    completion: .file())
  var database: String?

  @OptionGroup var exceptions: Exceptions

  @Option(help: "Exit with 2 if there is a finding that is not excused: warning, or note for any.")
  var failOn: FailOn?

  enum FailOn: String, ExpressibleByArgument, CaseIterable { case warning, note }

  func validate() throws {
    if let top, top < 1 { throw ValidationError("--top takes a number from 1 up, not \(top).") }
  }

  func run() throws {
    let profile = try inputs.profile(filters.value)
    let workload = try ReportedWorkload(profile, database: database)
    let review = try exceptions.review(workload.findings, in: profile)
    let options = SummaryOptions(
      top: top ?? (json ? .max : 10), order: sort, grouping: groupBy)
    if json {
      try Output.print(JSONText.encoded(ReportV1(profile, options: options, review: review)))
    } else {
      let document = Document(summary: profile, options: options, review: review)
      Output.print(document.text(.ofStandardOutput))
    }
    try inputs.check(profile)
    try workload.checkDatabase()
    try judge(review, profile.completeness)
  }

  /// Lost events may hide a finding: without one, nothing is concluded.
  private func judge(_ review: FindingReview, _ completeness: Completeness) throws {
    guard let failOn else { return }
    let count = review.findings.count { failOn == .note || $0.severity == .warning }
    if count > 0 {
      throw Failure(
        "\(count.counted("finding is", "findings are")) not excused", status: ExitStatus.regression)
    }
    if !completeness.isComplete {
      throw Failure(
        "no finding, but events may be missing: \(completeness.doubts.joined(separator: "; "))",
        status: ExitStatus.inconclusive)
    }
  }
}

extension SummaryOptions.Order: ExpressibleByArgument {}
