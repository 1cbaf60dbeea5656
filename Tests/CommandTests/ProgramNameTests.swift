// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// The name of a program is data: in a message it controls no terminal.
@Suite struct ProgramNameTests {
  private let report = BuiltTool("trace-report")
  private let folder: TemporaryDirectory
  private static let name = "ho\u{1b}[31mld"

  init() throws { folder = try TemporaryDirectory() }

  private func expectVisible(_ message: String) {
    #expect(!message.contains("\u{1b}"), "\(message.debugDescription)")
    #expect(message.contains("[31mld"), "\(message)")
  }

  @Test(.endsWhenStuck) func isEscapedInTheMessageOfALongHold() async throws {
    let database = folder.path("app.db")
    try Connection(path: database).execute("CREATE TABLE turn (a)")
    let holder = folder.path(Self.name)
    let built = URL(filePath: Program("lock-holder").path)
    try FileManager.default.copyItem(at: built, to: URL(filePath: holder))
    let run = try await report.run(
      through: [
        "sh", "-c",
        """
        cd '\(folder.url.path)'
        '\(holder)' driver app.db turns stop &
        "$0" locks app.db --watch 5ms --fail-over 1ms --count 5000 > list
        status=$?
        touch stop
        wait
        exit $status
        """,
      ], [])
    #expect(run.status == 2, "\(run.errorOutput)")
    expectVisible(run.errorOutput)
  }

  @Test func isEscapedInTheRefusalOfABaseline() async throws {
    let log = folder.path("debug.log")
    let run = RunBuilder { trace in
      trace.process = ProcessIdentity(id: 7, name: Self.name)
      trace.open()
      trace.fetch("SELECT 1")
    }
    try Data(run.log(status: nil).utf8).write(to: URL(filePath: log))
    let baseline = try await report.run("baseline", log, "-o", folder.path("baseline.json"))
    #expect(baseline.status != 0)
    expectVisible(baseline.errorOutput)
  }
}
