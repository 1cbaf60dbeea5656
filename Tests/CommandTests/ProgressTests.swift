// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// The line on a terminal for work that takes longer than a second; nothing anywhere else.
@Suite struct ProgressTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory

  /// 70,000 fetches in two parts, so that a reader between them has read 65,536 events and more.
  init() throws {
    folder = try TemporaryDirectory()
    var log = LogBuilder()
    log.open(ProcessIdentity(id: 2367, name: "transit"), at: 0)
    let head = log.text
    for record in RunBuilder({ $0.fetch("SELECT 1") }).records { log.add(record) }
    let fetch = String(log.text.dropFirst(head.count))
    let part = String(repeating: fetch, count: 35_000)
    try Data((head + part).utf8).write(to: URL(filePath: folder.path("first")))
    try Data(part.utf8).write(to: URL(filePath: folder.path("second")))
  }

  /// Reads both parts from a pipe, the second one more than a second after the first.
  private func terminal(
    _ command: String, environment: [String: String] = [:]
  ) throws -> PseudoTerminal {
    try PseudoTerminal(
      [
        "/bin/sh", "-c",
        """
        cd '\(folder.url.path)'
        (cat first; sleep 2; cat second second) | '\(report.path)' \(command) > out
        """,
      ], environment: environment)
  }

  @Test(.endsWhenStuck) func isShownWithItsRateAndWiped() async throws {
    let terminal = try terminal("summary -")
    #expect(try await terminal.end() == 0)
    let output = String(decoding: terminal.output, as: UTF8.self)
    let shown = try #require(output.firstMatch(of: /\r([0-9,]+) events read, [0-9,]+\/s/))
    #expect((Int(shown.output.1.filter { $0 != "," }) ?? 0) % 65_536 == 0)
    // How much a pipe still holds is not known.
    #expect(!output.contains("left"))
    #expect(output.hasSuffix("\r\u{1b}[K"))
  }

  @Test(.endsWhenStuck) func isNotShownWhereItCannotBeWiped() async throws {
    let terminal = try terminal("summary -", environment: ["TERM": "dumb"])
    #expect(try await terminal.end() == 0)
    #expect(terminal.output == [])
  }

  @Test(.endsWhenStuck) func isNotShownToAQuietGate() async throws {
    let base = folder.path("base")
    let run = RunBuilder {
      $0.open()
      $0.fetch("SELECT 1")
      $0.close()
    }
    try Data(run.log.utf8).write(to: URL(filePath: folder.path("one")))
    let one = try await report.run("baseline", folder.path("one"), "-o", base)
    #expect(one.status == 0, "\(one.error)")
    let terminal = try terminal("gate - --quiet --baseline base")
    // Both parts end in the midst of a run.
    #expect(try await terminal.end() == 3)
    #expect(terminal.output == [])
  }

  @Test(.endsWhenStuck) func isNotWrittenIntoAPipe() async throws {
    let run = try await BuiltTool("trace-report").run(
      through: [
        "sh", "-c", "cd '\(folder.url.path)'; (cat first; sleep 2; cat second second) | \"$0\" -",
      ], [])
    #expect(run.status == 0)
    #expect(run.errorOutput == "")
  }
}
