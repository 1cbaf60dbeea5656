// SPDX-License-Identifier: Apache-2.0

package import StoreEvents

/// Collects the observations on one input while it is read.
package final class SourceLedger {
  // Unchecked: one thread counts, each event.
  @exclusivity(unchecked) package private(set) var report: SourceReport
  @exclusivity(unchecked) private var identity = IdentityTally()
  /// Whether anything showed that the input is of its kind, even without an event.
  @exclusivity(unchecked) var isRecognized = false
  /// Whether its recorder has not finished it.
  var isBeingRecorded = false {
    didSet {
      guard isBeingRecorded else { return }
      addProblem("it is still being recorded; what is not written yet is missing")
    }
  }
  /// Whether a recorder states how its program ended, so that the log of each process need not.
  var hasRecorder = false
  /// The position of the input among all of them.
  let index: Int

  // 5 and 20 are arbitrary: enough to recognize the problem, few enough to print.
  private static let sampleCount = 5
  private static let problemCount = 20
  private static let sampleLength = 160

  /// The text of the plan that is read.
  @exclusivity(unchecked) private var plan: String?
  @exclusivity(unchecked) private var plans: Set<String> = []

  package init(path: String, kind: SourceReport.Kind, index: Int = 0) {
    report = SourceReport(path: path, kind: kind)
    self.index = index
  }

  /// The input's name without its folders.
  var fileName: String { report.path.split(separator: "/").last.map(String.init) ?? "-" }

  package func count(_ event: EventRecord) {
    report.eventsRead &+= 1
    identity.add(event)
  }

  /// Records facts about an input that was read to its end.
  func finish() {
    report.identity = identity.identity
    endPlan()
  }

  /// Records the labels of `record --label`.
  func addLabels(_ labels: [String: String]) { report.labels = labels }

  package func countLost(_ count: UInt64) {
    let (sum, overflow) = report.eventsLost.addingReportingOverflow(count)
    report.eventsLost = overflow ? .max : sum
  }

  /// Counts a line or an event that no rule matches, and keeps the first few.
  package func countUnrecognized(_ sample: @autoclosure () -> String) {
    report.unrecognizedLines += 1
    guard report.unrecognizedSamples.count < Self.sampleCount else { return }
    report.unrecognizedSamples.append(Self.cut(LogText.escaped(sample())))
  }

  /// Adds the contents of another ledger of the same input, except for its events.
  func add(_ other: SourceReport) {
    countLost(other.eventsLost)
    let room = Self.sampleCount - report.unrecognizedSamples.count
    report.unrecognizedSamples += other.unrecognizedSamples.prefix(room)
    report.unrecognizedLines += other.unrecognizedLines
    for problem in other.problems { addProblem(problem) }
  }

  /// Inserts the findings of the seal before all others.
  func addFirst(_ seal: SourceReport) {
    let problems = report.problems
    report.problems = seal.problems
    for problem in problems { addProblem(problem) }
    report.unended = seal.unended
    report.failures = seal.failures
    report.labels = seal.labels
  }

  /// Records a reason why the input ended early; the first few are kept, each once.
  package func addProblem(_ sentence: String) {
    guard report.problems.count < Self.problemCount, !report.problems.contains(sentence) else {
      return
    }
    report.problems.append(sentence)
  }

  /// Starts a plan that the input contains as text, with `EXPLAIN QUERY PLAN` and its statement.
  func startPlan(_ line: String) {
    endPlan()
    plan = line
  }

  /// Replaces the statement of the plan, which continues in another line.
  func continuePlan(_ line: String) { plan = line }

  func addToPlan(_ line: String) { plan? += "\n\(line)" }

  // 10,000 is arbitrary, and more than the statements of a program.
  private func endPlan() {
    if let plan, plans.count < 10_000, plans.insert(plan).inserted {
      report.plans = (report.plans ?? []) + [plan]
    }
    plan = nil
  }

  /// Records data that the input does not contain, without doubting the data that it contains.
  func addRemark(_ sentence: @autoclosure () -> String) {
    guard report.remarks.count < Self.problemCount else { return }
    let sentence = sentence()
    if !report.remarks.contains(sentence) { report.remarks.append(sentence) }
  }

  /// Records a remark on an alteration of the input.
  func addChange(_ sentence: String) {
    addRemark(sentence)
    add(sentence, to: \.changes)
  }

  /// Records a reason why the input cannot be shown to be complete; the first few are kept.
  func addUnended(_ sentence: String) { add(sentence, to: \.unended) }

  /// Records a program that failed; the first few are kept.
  func addFailure(_ sentence: String) { add(sentence, to: \.failures) }

  private func add(_ sentence: String, to path: WritableKeyPath<SourceReport, [String]?>) {
    let known = report[keyPath: path] ?? []
    guard known.count < Self.problemCount, !known.contains(sentence) else { return }
    report[keyPath: path] = known + [sentence]
  }

  /// Records a process of a log of another kind, in which no process counts its events.
  func addUncounted(_ process: ProcessIdentity, kind: SourceReport.Kind) {
    // 10,000 is arbitrary, and more than a profile distinguishes.
    if report.uncountedProcesses.count < 10_000 { report.uncountedProcesses.append(process) }
    if !isRecognized { report.kind = kind }
  }

  /// Throws the reason why an input without an event has none.
  func throwIfNothingWasRead() throws(TraceReadingError) {
    if ReadingInterruption.isRequested { throw .interrupted(report.path) }
    if isBeingRecorded { throw .beingRecorded(report.path) }
    if let problem = report.problems.first { throw .unreadable(report.path, reason: problem) }
    if report.unrecognizedLines == 0, report.eventsLost == 0 { throw .empty(report.path) }
    if report.kind == .log, !isRecognized { throw .unknownKind(report.path) }
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count <= sampleLength ? text : "\(text.prefix(sampleLength))…"
  }
}
