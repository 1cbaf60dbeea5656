// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The example `tour` against the page that describes it.
@Suite struct TourTests {
  @Test func thePageHasEachStepWithItsSQL() async throws {
    let run = try await Program("tour").run()
    #expect(run.status == 0, "\(run.error)")
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "Documentation/SwiftStore.md"), encoding: .utf8)
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.count > 30)
    for line in lines where !line.hasPrefix("  BEGIN") && !line.hasPrefix("  COMMIT") {
      #expect(page.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
    }
  }
}
