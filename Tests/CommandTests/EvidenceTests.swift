// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess
import TestSupport
import Testing

/// Documentation/Evidence.md: sixteen well-known problems and their findings.
@Suite struct EvidenceTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func page() async throws -> String {
    let binaries = URL(filePath: Program("transit").path).deletingLastPathComponent().path
    let result = try await Subprocess.run(
      .name("python3"),
      arguments: [root.appending(path: "Scripts/evidence.py").path, binaries],
      output: .string(limit: 16 << 20), error: .string(limit: 1 << 20))
    #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
    return result.standardOutput
  }

  /// Another SQLite needs another number of VM steps for the same work.
  private static func withoutSteps(_ page: String) -> [String] {
    page.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("| VM steps") }
  }

  /// `RECORD_SNAPSHOTS=1` writes the page, and fails.
  @Test func thePageEqualsTheToolsOutput() async throws {
    let page = try await Self.page()
    let file = Self.root.appending(path: "Documentation/Evidence.md")
    let isRecording = ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1"
    if isRecording { try page.write(to: file, atomically: true, encoding: .utf8) }
    #expect(!isRecording)
    let known = Self.withoutSteps(try String(contentsOf: file, encoding: .utf8))
    let now = Self.withoutSteps(page)
    #expect(now.filter { !known.contains($0) } == [])
    #expect(known.filter { !now.contains($0) } == [])
    #expect(page.split(separator: "\n").count { $0.hasPrefix("## ") } == 16)
    #expect(page.split(separator: "\n").count { $0.hasPrefix("Measured with") } == 5)
  }
}
