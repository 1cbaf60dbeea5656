// SPDX-License-Identifier: Apache-2.0

import DatabaseLocks
import TraceRendering

/// The metrics of the hazards on this host, found at most every 10 s.
struct HostHazards {
  private var found: (time: ContinuousClock.Instant, text: String)?

  // Arbitrary: a search takes some milliseconds for each database, and scrapes come every few seconds.
  private static let lifetime = Duration.seconds(10)

  var metrics: String {
    mutating get {
      if let found, .now - found.time < Self.lifetime { return found.text }
      let text = ProfileMetrics.hazards(of: OpenDatabases.observers().map { $0.sample() })
      found = (.now, text)
      return text
    }
  }
}

/// Shows every database that is open on this host.
struct AllLocks {
  let isJSON: Bool

  /// - Throws: ``Failure`` for a hazard of these severities.
  func run(failsOn severities: Set<Hazard.Severity>) throws {
    let reports = OpenDatabases.observers().map { observer in
      var history = HoldHistory()
      let state = LockState(observer.sample())
      history.add(state)
      return LocksReport(state, history)
    }
    let unreadable = OpenDatabases.unreadableProcesses
    try Output.print(
      isJSON
        ? JSONText.encoded(AllLocksV1(reports, unreadableProcesses: unreadable))
        : Document(allLocks: reports, unreadable: unreadable, moment: LocksView.moment)
          .text(.ofStandardOutput))
    let hazards = reports.flatMap(\.state.sample.hazards)
    if let failure = Failure(hazards.filter { severities.contains($0.severity) }) { throw failure }
  }
}
