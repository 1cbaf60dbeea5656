// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Random steps in three contexts of one store show what an image of plain values says.
///
/// Thousands of sequences by `make contexts`.
@Suite struct ContextSequenceTests {
  private let count = ProcessInfo.processInfo.environment["CONTEXT_SEEDS"] ?? "100"

  @Test func showWhatPlainValuesSay() async throws {
    // A process of its own: it waits for tasks, which would block those of other tests.
    let run = try await Program("store-torture").run("contexts", count, "1")
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains("\(count) sequences of steps, 0 of which failed"))
  }

  /// A rule that was followed again after an undo was a step of its own, and to be undone in turn.
  @Test(arguments: ["701447", "701801"])
  func endsToUndo(_ seed: String) async throws {
    let run = try await Program("store-torture").run("contexts", "1", seed)
    #expect(run.status == 0, "\(run.output)\(run.error)")
  }
}
