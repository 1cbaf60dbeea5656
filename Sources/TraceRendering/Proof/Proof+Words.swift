// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceAnalysis

extension Proof {
  /// The proven fact, or the reason why it was not proven, in one sentence.
  ///
  ///     Proven: 221 statements became 3; 220 rows each; no statement does more work.
  public var sentence: String {
    switch verdict {
    case .proven:
      let rest =
        counts.contains { $0.metric == .vmSteps && $0.after > $0.before }
        ? "far fewer runs take a few more VM steps" : "no statement does more work"
      return "Proven: \(work); \(rest)."
    case .notProven: return "Not proven: \(reasons.first ?? "")."
    case .inconclusive: return "Inconclusive: \(reasons.first ?? "no count is lower (\(work))")."
    }
  }

  /// The reasons for a verdict other than proven, decisive ones first.
  public var reasons: [String] {
    let worse = gate.regressions.map { difference in
      let locationText = difference.caller.text.map { " at \($0)" } ?? ""
      let subject = difference.sql == nil ? "the whole run" : "a statement"
      return Reason("\(subject) does more\(locationText): \(difference.summary)", difference.sql)
    }
    let all = worse + self.worse + lost + unknown
    return doubts + gate.doubts
      + all.map { reason in
        reason.sentence + (reason.sql.map { ": \(SQLText.abridged($0, to: Self.maxSQL))" } ?? "")
      } + gate.reservations
  }

  // 160 is arbitrary: two lines of a terminal.
  private static let maxSQL = 160

  /// `221 statements became 3; 220 rows each; full-scan steps 12,000 → 0`.
  private var work: String {
    counts.filter { [.count, .rows, .changes].contains($0.metric) || $0.after < $0.before }
      .filter { $0.before > 0 || $0.after > 0 }
      .map(\.proven).joined(separator: "; ") + (tests > 0 ? "; \(tests.counted("test"))" : "")
  }
}

extension GateResult.Change {
  fileprivate var proven: String {
    switch metric {
    case .count where before != after: "\(before.counted("statement")) became \(after.grouped)"
    case .count: "\(before.counted("statement")) each"
    case .changes where before == after: "\(before.counted("changed row")) each"
    case .rows where before == after: "\(before.counted("row")) each"
    case .rows: "\(before.counted("row")) became \(after.grouped), joined or looked up once"
    default: "\(metric.title) \(before.grouped) → \(after.grouped)"
    }
  }
}

extension Document {
  /// The verdict first, then the reasons, then the statements that changed.
  public init(proof: Proof, top: Int) {
    let outcome = proof.verdict == .notProven ? "not proven" : proof.verdict.rawValue
    self.init(title: "prove: \(outcome)")
    add(proof.sentence, proof.verdict == .proven ? .good : .bad)
    blocks += proof.reasons.dropFirst().prefix(top).map { .paragraph("  - " + $0, .bad) }
    let changed = proof.pairs.filter(\.isChanged)
    if !changed.isEmpty {
      blocks.append(.heading("Statements with the same rows (\(changed.count))"))
      blocks += changed.prefix(top).map { .item(Item($0)) }
    }
    add(Proof.remark, .quiet)
  }
}

extension Document.Item {
  fileprivate init(_ pair: Proof.Pair) {
    func lines(_ word: String, _ sides: [Proof.Side]) -> [Document.Fact] {
      sides.flatMap { side -> [Document.Fact] in
        [
          .init(word, .text("\(side.runs.counted("run")), \(side.rows.counted("row"))")),
          .init("", .sql(side.sql)),
        ]
      }
    }
    self.init(
      tone: .good, headline: pair.basis.sentence, location: pair.test,
      lines: lines("before", pair.before) + lines("after", pair.after))
  }
}

extension Proof {
  /// A remark on facts that no recording shows.
  public static let remark =
    "Rows are counted; their values are not recorded, so compare the program's output as well."
}

extension Proof.Basis {
  fileprivate var sentence: String {
    switch self {
    case .rows: "as many rows"
    case .lookups: "as many look-ups with different values"
    case .join: "as many rows as a join keeps"
    }
  }
}
