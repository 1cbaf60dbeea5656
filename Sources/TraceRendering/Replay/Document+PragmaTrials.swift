// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StatementReplay

/// A setting, and the replay that tried it.
public struct PragmaTrial: Sendable {
  public var name: String
  public var value: String
  /// The protection or the resource that it costs; "" for none.
  public var price: String
  public var replay: Replay

  public init(_ candidate: PragmaCandidate, _ replay: Replay) {
    (name, value, price) = (candidate.name, candidate.value, candidate.price)
    self.replay = replay
  }

  /// Whether all of the time's interval is below the time without it.
  public var pays: Bool { replay.timeRatio.map { $0.high < 1 } ?? false }
  fileprivate var costs: Bool { replay.timeRatio.map { $0.low > 1 } ?? false }
}

extension Document {
  /// The settings that pay, with their price, then the others.
  public init(pragmaTrials trials: [PragmaTrial]) {
    let paying = trials.filter(\.pays)
    self.init(
      title: paying.isEmpty
        ? "replay: no setting pays on this load"
        : "replay: \(paying.map { "\($0.name) = \($0.value)" }.joined(separator: ", "))")
    let rows = (paying + trials.filter { !$0.pays }).map { trial in
      Table.Row(
        [
          .text("\(trial.name) = \(trial.value)"),
          trial.replay.timeRatio.map { .text($0.words) } ?? .none,
          .text(trial.pays ? "pays" : trial.costs ? "costs" : "no difference"),
        ], notes: trial.pays && !trial.price.isEmpty ? [.text(trial.price)] : [])
    }
    add(Table.columns("setting", numbers: "time", texts: "on this load"), rows)
    if trials.contains(where: { !$0.replay.isConclusive }) {
      add(
        "Not all runs could be replayed: see 'trace-report replay' without --advise-pragmas.",
        .bad)
    }
  }
}
