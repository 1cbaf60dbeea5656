// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DatabaseLocks
import StoreEvents
import TraceRendering

/// Samples the locks of a database, and shows them once or at each interval.
struct LocksLoop {
  private let observer: LockObserver
  private var view: LocksView
  /// The interval in nanoseconds; nil to show one state.
  private let interval: Int64?
  private let count: Int?
  /// How long a lock may be held.
  private let limit: Int64?
  /// The hazards that fail the command.
  private let failsOn: Set<Hazard.Severity>
  private var history = HoldHistory()
  private var mayHideHolder = false

  init(
    _ observer: LockObserver, _ view: LocksView, interval: Int64?, count: Int?, limit: Int64?,
    failsOn: Set<Hazard.Severity>
  ) {
    (self.observer, self.view, self.interval) = (observer, view, interval)
    (self.count, self.limit, self.failsOn) = (count, limit, failsOn)
  }

  /// - Throws: ``Failure``, or an exit code.
  mutating func run() throws {
    let state = interval == nil ? observeOnce() : watch()
    view.end()
    try check(state)
  }

  /// Samples until it is known whether a lock is held for as long as the limit.
  private mutating func observeOnce() -> LockState {
    let begin = ContinuousClock.now
    var state = sample()
    while let limit, Signals.end == nil, excess == nil {
      // A lock that was not held at the first sample cannot be held for the limit within it.
      let isOpen = history.current.contains { $0.samples == history.samples }
      guard isOpen, (.now - begin).nanoseconds < 2 * limit else { break }
      pause(Self.pace(limit))
      state = sample()
    }
    view.show(LocksReport(state, history))
    return state
  }

  private mutating func watch() -> LockState {
    let interval = interval ?? 0
    var shown = 0
    var next = ContinuousClock.now
    var state = sample()
    while Signals.end == nil {
      if .now >= next {
        view.show(LocksReport(state, history))
        shown += 1
        if let count, shown >= count { break }
        next = max(next + .nanoseconds(interval), .now)
      }
      if excess != nil || !hazards(in: state).isEmpty { break }
      pause(min(Self.pace(interval), max(0, (next - .now).nanoseconds)))
      state = sample()
    }
    return state
  }

  private mutating func sample() -> LockState {
    let state = LockState(observer.sample())
    history.add(state)
    mayHideHolder = mayHideHolder || state.sample.blindSpots.contains(where: \.mayHideHolder)
    return state
  }

  /// The hold that lasted as long as the limit.
  private var excess: Hold? {
    guard let limit, let longest = history.longest, longest.duration >= limit else { return nil }
    return longest
  }

  /// The hazards that the command fails for.
  private func hazards(in state: LockState) -> [Hazard] {
    state.sample.hazards.filter { failsOn.contains($0.severity) }
  }

  private func check(_ state: LockState) throws {
    guard limit != nil || !failsOn.isEmpty else { return }
    if let excess { throw Failure(excess.sentence, status: ExitStatus.regression) }
    if let failure = Failure(hazards(in: state)) { throw failure }
    if Signals.end != nil { throw ExitStatus.interrupted }
    guard mayHideHolder else { return }
    let spots = state.sample.blindSpots.filter(\.mayHideHolder).map(\.description)
    throw Failure(
      "a holder may have gone undetected. " + spots.joined(separator: " "),
      status: ExitStatus.inconclusive)
  }

  /// A twentieth of a duration, from 1 to 100 ms.
  private static func pace(_ duration: Int64) -> Int64 {
    min(max(duration / 20, 1_000_000), 100_000_000)
  }

  private func pause(_ nanoseconds: Int64) {
    guard nanoseconds > 0 else { return }
    _ = Key.wait(on: -1, milliseconds: Int32(clamping: (nanoseconds + 999_999) / 1_000_000))
  }
}

extension Failure {
  /// For hazards that `--fail-on` counts; nil if there are none.
  init?(_ hazards: [Hazard]) {
    guard let hazard = hazards.first else { return nil }
    let rest = hazards.count > 1 ? " (and \((hazards.count - 1).counted("more", "more")))" : ""
    self.init(LogText.escaped(hazard.fact) + rest, status: ExitStatus.regression)
  }
}
