// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TraceRecording

/// The lines in which the probe names the threads of a program.
@Suite struct ProgramThreadTests {
  @Test func threadThatWaitsForAPoolNamesThePool() throws {
    let thread = try #require(
      ProgramThread(
        "thread\t4713\tThread-1\tapp.py:20\thandle\t/usr/lib/python3.11/threading.py:331\twait\tSQLAlchemy"
      ))
    #expect(thread.id == 4713)
    #expect(thread.name == "Thread-1")
    #expect(thread.line == "app.py:20")
    #expect(thread.function == "handle")
    #expect(thread.innermostLine == "/usr/lib/python3.11/threading.py:331")
    #expect(thread.innermostFunction == "wait")
    #expect(thread.pool == "SQLAlchemy")
  }

  @Test func otherThreadsWaitForNone() throws {
    let thread = try #require(
      ProgramThread("thread\t0\t\tapp.py:5\t<module>\tapp.py:5\t<module>\t"))
    #expect(thread.pool == nil)
    #expect(thread.name == "")
  }

  @Test(arguments: ["end", "unknown", "thread\t1", "thread\tx\ta\tb\tc\td\te\tf"])
  func otherLinesAreNone(line: String) {
    #expect(ProgramThread(Substring(line)) == nil)
  }
}
