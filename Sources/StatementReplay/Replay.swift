// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
public import TraceReading

/// The recorded statements of a program, run again on copies of its databases: as it was, and with a change.
///
/// Each statement runs on both, one after the other in turns, with its recorded values, on the copy of its connection,
/// in the order of the commits. Memory does not grow with the trace.
///
///     var change = ReplayChange()
///     change.statements = ["CREATE INDEX book_author ON book(author_id)"]
///     let replay = try Replay(["trace"], change: change, database: "start.sqlite")
public struct Replay: Sendable {
  public private(set) var reading = ReadingReport(sources: [])
  /// Of the copies as they were.
  public private(set) var before = ReplayWork()
  public private(set) var after = ReplayWork()
  /// With the program's own time of each form: the copies take turns, and have less of the processor's caches.
  public private(set) var timeRatio: TimeRatio?
  /// The time of the replayed runs in the program.
  public private(set) var recordedTime: UInt64 = 0
  public private(set) var forms: [FormEffect] = []
  /// The divergent runs on unchanged copies, most runs first.
  public private(set) var divergences: [DivergentRuns] = []
  public private(set) var recordedRuns: UInt64 = 0
  /// VM steps of the runs in the recording.
  public private(set) var recordedSteps: UInt64 = 0
  /// With the program's pauses: how far it was behind; nil as fast as possible.
  public private(set) var lateness: ReplayLateness?
  /// Versions of SQLite that the programs used.
  public private(set) var recordedVersions: [String] = []
  /// Preparations that never succeeded, with the reason.
  public private(set) var failedPreparations: [(sql: String, message: String)] = []

  /// Replays recordings, as one.
  ///
  /// - Parameters:
  ///   - database: the database as it was at the start; nil for the copies that the recording has.
  ///   - progress: called now and then.
  /// - Throws: ``ReplayError``, or `TraceReadingError`.
  public init(
    _ paths: [String], change: ReplayChange, database: String? = nil,
    progress: (ReadingProgress) -> Void = { _ in }
  ) throws {
    let starts = try StartCopies(paths).starts(database: database)
    var race = try ReplayRace(change, starts: starts)
    var order = RecordedOrder()
    var steps = RecordedSteps()
    var pauses = change.keepsPauses ? RecordedPauses() : nil
    let body = { (step: RecordedStep, time: Nanoseconds) in
      try pauses?.wait(until: time)
      try race.replay(step)
    }
    reading = try TraceReader.read(paths, progress: progress) { record in
      guard !ReadingInterruption.isRequested else { throw ReplayError.interrupted }
      guard let (step, time) = steps.step(of: record) else { return }
      try order.add(step, at: time, body)
    }
    try order.finish(body)
    try race.finish()
    lateness = pauses?.lateness
    guard race.recordedRuns > 0 else { throw ReplayError.noRuns }
    recordedVersions = steps.versions.sorted()
    recordedRuns = race.recordedRuns
    recordedSteps = race.recordedSteps
    before = race.before
    after = race.after
    timeRatio = TimeRatio(
      of: race.forms.values.map { (Double($0.recordedTime), $0.times) })
    recordedTime = race.forms.values.reduce(0) { $0 &+ $1.recordedTime }
    forms = race.forms.values.sorted {
      let changes = ($0.change, $1.change)
      return changes.0 == changes.1 ? $0.form < $1.form : changes.0 > changes.1
    }
    divergences = race.divergences.sorted {
      $0.runs == $1.runs ? $0.form < $1.form : $0.runs > $1.runs
    }
    failedPreparations = race.failedPreparations
  }

  /// Runs that are not as recorded, or were not replayed.
  public var divergentRuns: UInt64 { divergences.reduce(0) { $0 + $1.runs } }

  /// The VM steps of these runs in the recording.
  public var divergentSteps: UInt64 { divergences.reduce(0) { $0 &+ $1.vmSteps } }

  /// Whether the copies did most of what the program did, and nothing else, so that the comparison holds.
  public var isConclusive: Bool {
    divergences.allSatisfy(\.divergence.isHarmless) && failedPreparations.isEmpty
      && divergentSteps <= recordedSteps / 2
      && reading.sources.allSatisfy { $0.eventsLost == 0 && $0.problems.isEmpty }
  }

  public var isWorse: Bool { forms.contains { $0.isWorse } }
}

extension FormEffect {
  fileprivate var change: UInt64 {
    max(before.vmSteps, after.vmSteps) - min(before.vmSteps, after.vmSteps)
  }
}
