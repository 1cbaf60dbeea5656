// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

extension Document {
  /// A finding in four lines: the line of code, what happens, the SQL, and the fix.
  public struct Brief: Hashable, Sendable {
    var tone: Tone
    var number: Int
    /// A line of code; "" where it is unknown.
    var location: String
    /// `a query in a loop on 'loan', up to 700 ms`.
    var title: String
    var message: String
    /// The rule's name in brackets.
    var rule: String
    var sql: FindingSQL?
    var fix: String
    /// The lines that the message, and the fix, may take.
    var maxLines: Int

    /// - Parameters:
    ///   - findings: one or more with one fix, the worst first.
    ///   - mark: words before the title, such as `new: `.
    init(
      _ findings: [Finding], number: Int, in shared: SharedProfile, maxLines: Int, mark: String = ""
    ) {
      let finding = findings[0]
      self.maxLines = maxLines
      self.number = number
      tone = finding.severity == .warning ? .bad : .plain
      location = finding.caller.text ?? ""
      let statement = shared.shared(finding).statement.flatMap(shared.profile.statement)
      let cost = finding.costText.map { ", \($0)" } ?? ""
      title = mark + finding.phrase(finding.problem, finding.culprit(of: statement)) + cost
      message = finding.message
      rule = "[\(finding.rule)]"
      sql = statement?.sql.map { FindingSQL($0, of: finding) }
      fix =
        finding.fix + (finding.trialText.map { " (\($0))" } ?? "")
        + Self.otherLocations(of: findings.dropFirst(), than: location)
    }
  }
}

extension Document.Brief {
  /// ` (also at app.py:50 and 2 more lines)`: other lines that the fix resolves as well.
  private static func otherLocations(of findings: ArraySlice<Finding>, than location: String)
    -> String
  {
    let locations = Set(findings.compactMap { $0.caller.text }).subtracting([location]).sorted()
    guard let first = locations.first else {
      return findings.isEmpty ? "" : " (also for \(findings.count.counted("more statement")))"
    }
    let rest = locations.count > 1 ? " and \((locations.count - 1).counted("more line"))" : ""
    return " (also for \(first)\(rest))"
  }

  /// The same for a renderer that has room.
  var item: Document.Item {
    Document.Item(
      tone: tone, headline: "\(number). \(title)", location: location,
      lines: [.init("", .text(message))] + (sql.map { [.init("", .sql($0.sql))] } ?? [])
        + [.init("fix", .text(fix))])
  }
}

extension Finding {
  /// `tried on a copy: 3,841 → 8 VM steps a run`, where the fix was tried; `not measured` of an index that was not.
  var trialText: String? {
    trial.map { "tried on a copy: \($0.before.grouped) → \($0.after.grouped) VM steps a run" }
      ?? (fix.contains("CREATE INDEX ") && !isTried ? "not measured" : nil)
  }

  /// `up to 700 ms`, or `in 2.04 s` where no saving was computed.
  var costText: String? {
    if let savesAtMost { return "up to \(Cell.duration(savesAtMost).text)" }
    return cost > 0 ? "in \(Cell.duration(cost).text)" : nil
  }
}

extension TextRenderer {
  /// Draws it below an empty line.
  ///
  ///     1. app.py:42  a query in a loop on 'author', up to 700 ms
  ///        200 runs for the 200 rows of another statement at app.py:40.
  ///        SELECT name FROM author WHERE id = ?
  ///        fix: join this table in the statement at app.py:40
  mutating func render(_ brief: Document.Brief) {
    line("")
    let (number, fix) = ("\(brief.number). ", "fix: " + brief.fix)
    let title = TerminalText.escaped(brief.title)
    let room = width - number.count - TerminalText.width(ofEscaped: title) - 2
    let location = TerminalText.escaped(brief.location)
    let ink = brief.tone.ink ?? .bold
    if location.isEmpty {
      line(number + style.paint(TerminalText.cut(title, to: width - number.count), ink))
    } else if TerminalText.width(ofEscaped: location) <= room || room >= Self.minLocationWidth {
      let location = TerminalText.fittedToEnd(brief.location, to: room)
      line(number + style.paint(location, .cyan) + "  " + style.paint(title, ink))
    } else {
      let location = TerminalText.fittedToEnd(brief.location, to: width - number.count)
      line(number + style.paint(location, .cyan))
      write([TerminalText.cut(title, to: width - 3)], ink)
    }
    let isBelow = !fits(brief.rule, behind: brief.message) && fits(brief.rule, behind: fix)
    write(limited(isBelow ? brief.message : "\(brief.message) \(brief.rule)", brief.maxLines), nil)
    if let sql = brief.sql {
      let text =
        style.width == nil
        ? TerminalText.escaped(SQLText.shortened(sql.sql))
        : TerminalText.fitted(sql.line(width - 3), to: width - 3)
      write([text], .faint)
    }
    write(limited(isBelow ? "\(fix) \(brief.rule)" : fix, brief.maxLines), nil)
  }

  /// Whether a word takes no line of its own behind a text.
  private func fits(_ word: String, behind text: String) -> Bool {
    wrapped("\(text) \(word)", indent: 3).count == wrapped(text, indent: 3).count
  }

  // The end of a path with its line: `…Features/Search.swift:1234`.
  private static let minLocationWidth = 24

  private var width: Int { style.width ?? .max / 2 }

  private mutating func write(_ lines: [String], _ ink: TextStyle.Ink?) {
    for text in lines { line("   " + style.paint(text, ink)) }
  }

  /// The text in at most so many lines, of which the last one is cut.
  func limited(_ text: String, _ count: Int, indent: Int = 3) -> [String] {
    var lines = wrapped(text, indent: indent)
    guard lines.count > count else { return lines }
    let rest = lines[(count - 1)...].joined(separator: " ")
    lines.removeSubrange((count - 1)...)
    return lines + [TerminalText.cut(rest, to: width - indent)]
  }
}
