// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceAnalysis

struct Gate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gate",
    abstract: "Compares a run with a baseline: exits with 2 if it does more work.",
    usage: """
      trace-report gate [<options>] -- <program> ...
      trace-report gate <input> ... [<options>]
      """,
    discussion: """
      trace-report gate -- pytest

      Records the program, and compares it with the repository's baseline, which 'trace-report gate \
      --update -- pytest' writes. The recording is kept if the verdict is not "same".

      trace-report gate trace/ --baseline baseline.json --markdown comment.md

      Runs, rows, faults, cache misses, full-scan steps and sorts are compared exactly, VM steps \
      within the tolerance, times not at all. A large decrease of one count with a small increase \
      of another is "mixed" and passes. Exits with 3 if there is no verdict: no events, lost \
      events, no baseline, other tags, a filtered or damaged report; or, without a regression, \
      another version of SQLite, whose VM steps and plans cannot be compared, a program that \
      failed, or a log that may be truncated.
      """)

  @Argument(
    help: ArgumentHelp(
      "CTF folders, debug logs and saved reports; or, after --, a program to record and its arguments.",
      valueName: "input"),
    completion: .file())
  var words: [String] = []
  @OptionGroup var tags: Tags

  @Option(help: "The file that trace-report baseline wrote.", completion: .file())
  var baseline = Baseline.usualPath

  @Option(
    help: "A database to compare the statements' plans with; it is only read.",
    completion: .file())
  var database: String?

  @OptionGroup var capsule: CapsuleOption

  @Option(help: "The tolerated increase of VM steps, in percent.")
  var tolerance = TraceAnalysis.Gate.defaultTolerance * 100

  @OptionGroup var completeness: CompletenessOptions

  @OptionGroup var exceptions: Exceptions

  @Flag(help: "Compare times as well; each input is one run, five or more.")
  var timing = false

  @Option(help: "The smallest difference of median times that counts with --timing, in percent.")
  var minimumEffect = TimingGate.defaultMinimumEffect * 100

  @OptionGroup var outputs: GateOutputs

  @Flag(
    help: "Write this run's counts to the baseline, which need not exist, and exit with 0.")
  var update = false

  /// The program after `--`; a command has one list of arguments, which contains its words.
  private var program: [String] {
    let end = CommandLine.arguments.firstIndex(of: "--")
    return end.map { Array(CommandLine.arguments[($0 + 1)...]) } ?? []
  }

  func validate() throws {
    if words.isEmpty { throw ValidationError("Pass inputs, or a program after --.") }
    if !program.isEmpty, words != program {
      throw ValidationError("Pass either inputs or a program after --, not both.")
    }
    if !program.isEmpty, timing {
      throw ValidationError("--timing compares several runs; pass five recordings or more.")
    }
    guard tolerance >= 0, tolerance.isFinite else {
      throw ValidationError("--tolerance takes percent from 0 up, not \(tolerance).")
    }
    guard minimumEffect >= 0, minimumEffect.isFinite else {
      throw ValidationError("--minimum-effect takes percent from 0 up, not \(minimumEffect).")
    }
  }

  func run() async throws {
    let isSilent = outputs.quiet
    guard !program.isEmpty else {
      return try Progress.$isSilent.withValue(isSilent) { try compare(Inputs(words)) }
    }
    // Without a baseline there is nothing that the program could be compared with.
    _ = try readBaseline()
    let recording = try await RecordedProgram(program)
    do {
      try Progress.$isSilent.withValue(isSilent) { try compare(Inputs([recording.folder])) }
      recording.remove()
    } catch {
      Output.complain("the recording was kept: \(LogText.quoted(recording.folder))")
      throw error
    }
  }

  private func compare(_ inputs: Inputs) throws {
    guard let known = try readBaseline() else { return try writeFirst(inputs) }
    // All runs do the same work, so the counts of the first one represent all.
    let runs = timing ? try inputs.distinctRuns() : []
    let profile = try runs.first ?? inputs.profile()
    let database = try capsule.path(or: database)
    let plans = try database.map { try DatabasePlans(path: $0, of: profile) }
    let findings = try database.map { try ReportedWorkload(profile, database: $0).findings }
    var gate = TraceAnalysis.Gate(tolerance: tolerance / 100)
    gate.assumesComplete = completeness.assumeComplete
    gate.allowsMissing = completeness.allowMissing
    var result = gate.compare(profile, with: known, tags: tags.values, findings: findings) {
      plans?.plan(of: $0)
    }
    try plans?.checkIntegrity()
    // Counts are compared regardless; the plans of another database are not evidence.
    if let mismatch = plans?.mismatch { result.reservations.insert(mismatch.message, at: 0) }
    let callers = result.regressions.flatMap {
      [$0.caller] + ($0.finding.map { [$0.caller] } ?? [])
    }
    result.suppress(
      by: try exceptions.file(commentsOf: callers + profile.callers), today: Exceptions.today)
    if timing { addTimes(of: runs, known, to: &result) }
    try outputs.show(
      result, baseline: baseline, inputs: inputs.paths,
      options: options + NextCommand.option("exceptions", exceptions.path), update: updateCommand)
    if update {
      let tags = known.tags.merging(tags.values) { _, new in new }
      if profile.isEmpty { throw Failure.noEvents(inputs.paths) }
      try Baseline.write(
        profile, tags: tags, database: database, runs: runs, budgetsOf: known,
        allowMissing: completeness.allowMissing, to: baseline)
      return Output.complain("wrote \(baseline): \(Baseline.extent(of: profile))")
    }
    switch result.verdict {
    case .same, .mixed: return
    case .regression: throw ExitStatus.regression
    case .inconclusive: throw ExitStatus.inconclusive
    }
  }

  /// The baseline; nil if there is none yet, and `--update` writes it.
  private func readBaseline() throws -> BaselineV1? {
    do {
      return try BaselineV1(path: baseline)
    } catch {
      guard case .missing = error, update || !program.isEmpty else { throw error }
      if update { return nil }
      throw Failure(
        "no baseline \(LogText.quoted(baseline)); write it with: \(updateCommand)",
        status: ExitStatus.inconclusive)
    }
  }

  private func writeFirst(_ inputs: Inputs) throws {
    let runs = timing ? try inputs.distinctRuns() : []
    let profile = try runs.first ?? inputs.profile()
    if profile.isEmpty { throw Failure.noEvents(inputs.paths) }
    try Baseline.write(
      profile, tags: tags.values, database: try capsule.path(or: database), runs: runs,
      budgetsOf: nil, allowMissing: completeness.allowMissing, to: baseline)
    Output.complain("wrote \(baseline): \(Baseline.extent(of: profile)); commit it")
  }

  private func addTimes(
    of runs: [Profile], _ known: BaselineV1, to result: inout GateResult
  ) {
    let times = TimingGate(minimumEffect: minimumEffect / 100).compare(runs, with: known)
    result.slower = times.slower
    result.faster = times.faster
    if let reservation = times.reservation { result.reservations.append(reservation) }
    for run in runs.dropFirst() {
      result.doubts += run.comparisonDoubts
      result.reservations += run.reservations(
        assumingComplete: completeness.assumeComplete, allowingMissing: completeness.allowMissing)
      if run.totals.counts(differFrom: runs[0].totals) {
        result.reservations.append("the runs did not all do the same work")
        return
      }
    }
  }

  private var options: [String] {
    (database.map { ["--database", $0] } ?? [])
      + (capsule.capsule.map { ["--capsule", $0] } ?? []) + (timing ? ["--timing"] : [])
      + tags.pairs.flatMap { ["--tag", $0] } + completeness.arguments
  }

  private var updateCommand: String {
    let options =
      (program.isEmpty || baseline != Baseline.usualPath ? ["--baseline", baseline] : [])
      + options + ["--update"]
    let words =
      program.isEmpty ? words + options : options + ["--"] + program.map(ShellWord.quoted)
    return (["trace-report gate"] + words).joined(separator: " ")
  }
}

extension Profile.Totals {
  fileprivate func counts(differFrom other: Self) -> Bool {
    fetches != other.fetches || counts != other.counts || rows != other.rows
      || faults != other.faults || relationshipFaults != other.relationshipFaults
      || cacheMisses != other.cacheMisses || saves != other.saves
  }
}
