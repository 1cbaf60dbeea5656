// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Eight threads with fetched results controllers beside each other; minutes of it by
/// `make controllers`.
@Suite struct ControllerThreadTests {
  @Test func controllersFollowWhatOtherThreadsCommit() async throws {
    let run = try await Program("store-torture").run("controllers", "4", "1")
    #expect(run.status == 0, "\(run.output)\(run.error)")
  }
}
