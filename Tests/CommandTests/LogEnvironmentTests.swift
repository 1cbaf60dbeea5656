// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The messages of a program with an environment that does not lead to a log.
@Suite struct LogEnvironmentTests {
  private let emitter = BuiltTool("event-emitter")

  @Test func aLogFileWithoutALevelIsOneWarning() async throws {
    let run = try await emitter.run(
      through: ["-u", "STORE_SQL_DEBUG", "STORE_SQL_DEBUG_FILE=/tmp/never.log"], ["mix", "100"])
    #expect(
      run.errorOutput == "ObjectStore: warning: STORE_SQL_DEBUG_FILE needs a level as well; "
        + "set STORE_SQL_DEBUG=1\n")
    #expect(run.status == 0)
    #expect(!FileManager.default.fileExists(atPath: "/tmp/never.log"))
  }

  @Test func aLogThatCannotBeOpenedIsOneWarning() async throws {
    let run = try await emitter.run(
      through: ["STORE_SQL_DEBUG=1", "STORE_SQL_DEBUG_FILE=/no/such/folder/log"], ["mix", "100"])
    #expect(
      run.errorOutput == "ObjectStore: warning: cannot open the log '/no/such/folder/log': "
        + "No such file or directory; check that its folder exists; nothing is logged\n")
    #expect(run.status == 0)
  }
}
