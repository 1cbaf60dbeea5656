// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Eight threads that read and write one store.
@Suite struct ThreadTests {
  /// A minute by `make threads`, and under the thread sanitizer by `make test-threads`.
  @Test(arguments: [1, 2, 3])
  func losesNoUpdateThatThePolicyDidNotAllow(seed: Int) async throws {
    let run = try await Program("store-torture").run("threads", "2", "\(seed)")
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains(" increments, "))
  }

  @Test(arguments: [1, 2])
  func objectsMayEndWhileTheirContextEnds(seed: Int) async throws {
    let run = try await Program("store-torture").run("ends", "1000", "\(seed)")
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains("a context that ends on its queue: "))
  }
}
