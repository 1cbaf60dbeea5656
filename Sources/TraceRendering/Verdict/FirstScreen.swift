// SPDX-License-Identifier: Apache-2.0

import StoreEvents
public import TraceAnalysis
import TraceReading

/// The first screen of a report: the verdict, the worst findings, the totals, and the next command.
public struct FirstScreen {
  /// The commands that the screen ends with.
  public struct Commands: Sendable {
    /// The command that prints all findings; nil if it cannot be written down.
    public var findings: String?
    /// The command to type next, and its purpose.
    public var next: (purpose: String, command: String)?

    public init(findings: String? = nil, next: (purpose: String, command: String)? = nil) {
      (self.findings, self.next) = (findings, next)
    }
  }

  private let shared: SharedProfile
  private let review: FindingReview
  private let verdict: RunVerdict
  private let commands: Commands

  public init(_ profile: Profile, review: FindingReview, commands: Commands) {
    shared = SharedProfile(profile, withSQL: true)
    self.review = review
    self.commands = commands
    verdict = RunVerdict(profile, review)
  }

  /// 36 lines leave room for the command, the messages of `record` and the prompt.
  public static let maxLines = 36

  /// The screen in the style of a terminal, shortened until it fits.
  public func text(_ style: TextStyle, lines: Int = Self.maxLines) -> String {
    // The number of findings, and the lines of each message and each fix.
    let levels = [(3, 4), (3, 3), (3, 2), (2, 3), (2, 2), (1, 4), (1, 2)]
    return Self.fitted(levels, to: lines) { document(findings: $0, lines: $1).text(style) }
  }

  /// The first of several texts that has at most this many lines; the last one if none has.
  static func fitted<Level>(_ levels: [Level], to lines: Int, _ text: (Level) -> String) -> String {
    var result = ""
    for level in levels {
      result = text(level)
      if result.utf8.count(where: { $0 == UInt8(ascii: "\n") }) <= lines { break }
    }
    return result
  }

  private func document(findings count: Int, lines: Int) -> Document {
    var document = Document(title: shared.profile.headline)
    document.blocks.append(.excerpt(verdict.sentence, verdict.tone, lines: 4))
    document.blocks += completeness + changedInputs
    let listed = causes.prefix(count)
    document.blocks += listed.enumerated().map { index, cause in
      .brief(.init(cause, number: index + 1, in: shared, maxLines: lines))
    }
    document.add("")
    let rest = review.findings.count - listed.reduce(0) { $0 + $1.count }
    if rest > 0 {
      document.blocks.append(
        commands.findings.map { .command("\(UInt64(rest).grouped) more", $0) }
          ?? .paragraph("\(rest.counted("more finding")): see trace-report findings."))
    }
    document.blocks += shared.profile.errorLines(without: review.findings)
    document.blocks += shared.profile.work.map { .excerpt($0, .plain, lines: 3) }
    document.blocks += (review.remarks + [shared.profile.unobservedStart].compactMap(\.self)).map {
      .excerpt($0, .quiet, lines: 3)
    }
    document.blocks += review.complaints.prefix(Self.maxGaps).map { .excerpt($0, .bad, lines: 2) }
    if let next = commands.next { document.blocks.append(.command(next.purpose, next.command)) }
    return document
  }

  /// The findings, grouped by rule and fix, in the order of their worst one.
  private var causes: [[Finding]] {
    var causes: [[Finding]] = []
    var indexes: [[String]: Int] = [:]
    for finding in review.findings {
      let key = [finding.rule, finding.severity.rawValue, finding.fix]
      if let index = indexes[key] {
        causes[index].append(finding)
      } else {
        indexes[key] = causes.count
        causes.append([finding])
      }
    }
    return causes
  }

  // 3 is arbitrary: a fleet may have a doubt for each host, and the findings should stay visible.
  private static let maxGaps = 3

  /// A small line, or why the counts cannot be trusted.
  private var completeness: [Document.Block] {
    let profile = shared.profile
    guard profile.completeness.isComplete else {
      let all = profile.warnings
      let rest = all.count - 1 - Self.maxGaps
      return all.prefix(1 + Self.maxGaps).map(Self.excerpt)
        + (rest > 0
          ? [.paragraph("  - \(UInt64(rest).grouped) more: trace-report summary --all", .bad)] : [])
    }
    let suppressed = review.suppressed.count
    let note = suppressed > 0 ? "; \(suppressed.counted("finding is", "findings are")) excused" : ""
    return [.excerpt(profile.provenance + note, .quiet, lines: 2)]
      + verdict.gaps.prefix(Self.maxGaps).map { .excerpt($0, .bad, lines: 2) }
  }

  /// A line for each input that something had changed before it was read.
  private var changedInputs: [Document.Block] {
    shared.profile.reading.sources.compactMap { source in
      source.changes.map { "\(source.path): \($0.joined(separator: "; "))" }
    }.prefix(Self.maxGaps).map { .excerpt($0, .quiet, lines: 1) }
  }

  private static func excerpt(_ block: Document.Block) -> Document.Block {
    if case .paragraph(let text, let tone) = block { .excerpt(text, tone, lines: 2) } else { block }
  }
}

/// The first screen of a comparison of two runs.
public struct DifferenceScreen {
  private let difference: ProfileDifference
  private let before: String
  private let after: String
  private let next: String?

  public init(_ difference: ProfileDifference, before: String, after: String, next: String?) {
    (self.difference, self.before, self.after, self.next) = (difference, before, after, next)
  }

  /// The screen in the style of a terminal, shortened until it fits.
  public func text(_ style: TextStyle, lines: Int = FirstScreen.maxLines) -> String {
    // The number of statements, and of new findings and gone ones.
    let levels = [(5, 3), (3, 3), (2, 2), (1, 2), (1, 1), (0, 1)]
    return FirstScreen.fitted(levels, to: lines) { statements, findings in
      var document = Document(
        difference: difference, before: before, after: after, top: statements, findings: findings)
      document.blocks += next.map { [.paragraph(""), .command("next", $0)] } ?? []
      return document.text(style)
    }
  }
}

/// The first screen of a gate: all of it where that fits, otherwise the worst regressions.
public struct GateScreen {
  private let result: GateResult
  private let baseline: String
  private let update: String
  private let all: String

  /// - Parameters:
  ///   - baseline: the baseline's file.
  ///   - update: the command that accepts this run as the new baseline.
  ///   - all: the command that prints all of it.
  public init(_ result: GateResult, baseline: String, update: String, all: String) {
    (self.result, self.baseline, self.update, self.all) = (result, baseline, update, all)
  }

  /// The screen in the style of a terminal, shortened until it fits.
  ///
  /// - Parameter lines: the lines that the terminal has room for.
  public func text(_ style: TextStyle, lines: Int = FirstScreen.maxLines) -> String {
    FirstScreen.fitted([nil, 4, 3, 2, 1] as [Int?], to: lines) { top in
      var document = Document(gate: result, baseline: baseline, update: update, top: top)
      if top != nil { document.blocks += [.paragraph(""), .command("all of it", all)] }
      return document.text(style)
    }
  }
}
