// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceReading

/// Core Data's log as issue trackers, log viewers and consoles show it, and people copy it: the same events.
@Suite struct CoreDataFormTests {
  private static let object = "<x-coredata://9A1C0000-1111-2222-3333-444455556666/Folder/p4>"
  private static let found =
    "SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZNOTE t0 WHERE ( t0.ZTITLE >= ? AND  t0.ZTITLE < ?)"

  /// The messages of a level, each with the prefix of its text.
  private static func messages(level: Int) -> [String] {
    let bound = ["SQLite bind[0] = \"Caf\u{e9}, a &\"", "SQLite bind[1] = \"x\""]
    return ["sql: \(found) ORDER BY t0.ZTITLE"]
      + (level >= 2 ? bound.map { "details: \($0)" } : [])
      + [
        "annotation: sql connection fetch time: 0.0211s",
        "annotation: total fetch execution time: 0.0234s for 1200 rows.",
        "sql: SELECT 0, t0.Z_PK, t0.ZNAME FROM ZFOLDER t0 WHERE  t0.Z_PK = ?",
        "annotation: sql connection fetch time: 0.0002s",
        "annotation: total fetch execution time: 0.0004s for 1 rows.",
        "annotation: fault fulfilled from database for : 0xd000000000100004 \(object)",
        "sql: BEGIN EXCLUSIVE", "sql: INSERT INTO ZNOTE(Z_PK, ZTITLE) VALUES(?, ?)", "sql: COMMIT",
      ] + (level == 4 ? ["details: SQLite: EXPLAIN QUERY PLAN \(found)"] : [])
  }

  private static func lines(level: Int) -> [String] {
    messages(level: level).map { "CoreData: \($0)" }
      + (level == 4 ? ["0|0|0|SCAN TABLE ZNOTE AS t0 (~100000 rows)"] : [])
  }

  struct Form: Sendable, CustomStringConvertible {
    var description: String
    var text: @Sendable ([String]) -> String
  }

  private static func form(
    _ name: String, head: String = "", foot: String = "",
    _ line: @escaping @Sendable (Int, String) -> String
  ) -> Form {
    Form(description: name) { lines in
      head + lines.enumerated().map { line($0, $1) + "\n" }.joined() + foot
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"\(text.replacing("\"", with: "\"\""))\""
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }

  private static func json(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }

  private static func time(_ index: Int) -> String { "10:00:00.\(100 + index)" }

  static let forms: [Form] = [
    form("code of an issue tracker", head: "The log:\n{code}\n", foot: "{code}\nThanks\n") { $1 },
    form("code without line breaks", head: "{code:title=console.log}") { $1 + "{code}" },
    form("text without a format", head: "{noformat}\n") { $1 + "{noformat}" },
    form("a fence", head: "When I scroll:\n```\n", foot: "```\n") { $1 },
    form("each line as code") { "`\($1)`" },
    form("a quotation") { "> \($1)" }, form("a quotation of an email") { ">\($1)" },
    form("a quotation of a quotation") { ">> \($1)" }, form("numbers") { "\($0 + 1). \($1)" },
    form("a page", head: "<!DOCTYPE html>\n<html><style>p { x: y }</style><pre><code>") {
      escaped($1)
    },
    form("paragraphs") { "<p>\(escaped($1))</p>" }, form("breaks") { escaped($1) + "<br />" },
    form("rows of a page", head: "<table>") {
      "<tr><td>\($0)</td><td class=\"c\">\(escaped($1))</td></tr>"
    },
    Form(description: "rows of a viewer in one line") { lines in
      "<div class='v'>"
        + lines.map { line in
          let parts = escaped(line).replacing("CoreData:", with: "<span>CoreData</span>:")
          return "<div style=\"top: 1px\">\(parts)</div>"
        }.joined() + "</div>"
    },
    form("spaces that do not break") { $1.replacing(" ", with: "\u{a0}") },
    form("narrow spaces") { $1.replacing(" ", with: "\u{202f}") },
    form("spaces without a width") { "\u{200b}\($1)" },
    form("colours") { "\u{1b}[1;32m\($1)\u{1b}[0m" },
    form("colours of consoles until 2015") { "\u{1b}[fg0,0,255;\($1)\u{1b}[;" },
    form("colours without the escape character") { "[32m\($1)[0m" },
    form("keywords with colours") { $1.replacing("SELECT", with: "[34mSELECT[0m") },
    form("colours with another character") { "^[[32m\($1)^[[0m" },
    form("colours with a replacement") { "\u{fffd}[32m\($1)\u{fffd}[0m" },
    form("CSV", head: "Date,Host,Message\n") { "2025-11-25T\(time($0))Z,mac-1,\(quoted($1))" },
    form("CSV with the message first", head: "message,@timestamp\r\n") {
      "\(quoted($1)),\"Nov 25, 2025 @ \(time($0))\"\r"
    },
    form("CSV with semicolons", head: "Time;Message\n") { "\(time($0));\(quoted($1))" },
    form("CSV with few quotes", head: "ts,level,msg\n") { index, line in
      let isPlain = !line.contains { ",\"".contains($0) }
      return "2025-11-25 \(time(index)),INFO,\(isPlain ? line : quoted(line))"
    },
    Form(description: "a log in one cell") { lines in
      "id,text\n17,\(quoted("Log:\n" + lines.joined(separator: "\n")))\n"
    },
    form("JSON of a container") {
      "{\"log\":\(json($1 + "\u{1}").replacing("\u{1}", with: "\\n")),\"time\":\"2025-11-25T\(time($0))Z\"}"
    },
    form("JSON of a collector") {
      "{\"_source\":{\"@timestamp\":\"2025-11-25T\(time($0))Z\",\"message\":\(json($1))}}"
    },
    form("the head of NSLog") { "2014-07-31 \(time($0)) Notes[73416:2971038] \($1)" },
    form("a head without a date") { "[10:00:0\($0 % 10)] [INFO] [main] \($1)" },
    form("columns of a console") {
      "2025-10-03 \(time($0))000+0200 0x9d13 Default 0x0 812 0 Notes: (CoreData) [com.apple.coredata:sql] \($1)"
    },
    form("quotes of an editor") { $1.replacing(#/"([^"]*)"/#) { "“\($0.1)”" } },
  ]

  private struct Facts: Equatable {
    var events: [String]
    var values: [String]
    var plans: [String]

    init(_ reading: Reading) {
      events = reading.events.compactMap { event -> String? in
        switch event {
        case .statement(let event): event.sql
        case .fetchEnd(let event): "\(event.entity) \(event.rows) \(event.totalTime)"
        case .fault(let event): "fault \(event.entity) \(event.pk)"
        case .saveEnd(let event): "save \(event.inserted)"
        default: nil
        }
      }
      values = reading.events.compactMap {
        if case .values(let event) = $0 { "\(event.values)" } else { nil }
      }
      // A row may have a number or a mark before it, which its reader skips.
      plans = (reading.source.plans ?? []).map { plan in
        plan.split(separator: "\n").map { line in
          let start = line.firstRange(of: "SCAN")?.lowerBound ?? line.startIndex
          return String(line[start...])
        }.joined()
      }
    }
  }

  @Test(arguments: forms, [1, 2, 4])
  func theEventsEqualTheLogs(form: Form, level: Int) throws {
    let lines = Self.lines(level: level)
    let plain = Facts(try Reading(log: lines.map { $0 + "\n" }.joined()))
    #expect(plain.events.count >= 5 && plain.values.isEmpty == (level == 1))
    #expect(plain.plans.isEmpty == (level < 4))
    let copied = Facts(try Reading(log: form.text(lines)))
    #expect(copied == plain)
  }

  /// Text of a program, which is no change by a page.
  @Test(arguments: [
    "[32mred[0m", "a\u{a0}b", "<p>text</p>", "`code`", "“quoted”", "a, \"\"b\"\"", "{code}",
  ])
  func aValueStaysAsItIs(value: String) throws {
    let lines = Self.lines(level: 2).map { $0.replacing("Caf\u{e9}, a &", with: value) }
    let reading = try Reading(log: lines.map { $0 + "\n" }.joined())
    let bound = Facts(reading).values
    #expect(bound.first?.contains(value) == true, "\(bound)")
  }

  /// Lines of metadata may stand within a message that was wrapped.
  @Test func metadataWithinAMessageBelongsToIt() throws {
    let metadata =
      "Type: Default | Timestamp: 2025-10-03 09:14:07.120000+02:00 | Process: Notes | Category: sql | TID: 0x9d13"
    let lines = Self.lines(level: 1).map { line in
      line.replacing(" FROM", with: "\n\(metadata)\nFROM", maxReplacements: 1)
        + (line.contains(" FROM") ? "\n" : "\n\(metadata)\n")
    }
    let plain = Facts(try Reading(log: Self.lines(level: 1).map { $0 + "\n" }.joined()))
    let reading = try Reading(log: lines.joined())
    #expect(Facts(reading) == plain)
    #expect(Set(reading.records.map(\.threadID)) == [0x9d13])
  }
}
