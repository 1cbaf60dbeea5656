// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Where reports are written with -o, when that is no ordinary file, or has no room.
@Suite struct OutputFileTests {
  private let tool = BuiltTool("trace-report")
  private let folder = URL.temporaryDirectory.appending(path: "output-\(UUID())")

  private func log() async throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let log = folder.appending(path: "log").path
    _ = try await BuiltTool("event-emitter").run(
      through: ["STORE_SQL_DEBUG=1", "STORE_SQL_DEBUG_FILE=\(log)"], ["mix", "200"])
    return log
  }

  /// A rename would replace the device by a file.
  @Test(arguments: ["html", "baseline", "export"])
  func writesIntoAPipeWithoutReplacingIt(command: String) async throws {
    let log = try await log()
    defer { try? FileManager.default.removeItem(at: folder) }
    let pipe = folder.appending(path: "pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let copy = folder.appending(path: "copy").path
    let run = try await tool.run(
      through: ["sh", "-c", "cat '\(pipe)' >'\(copy)' & \"$@\"; code=$?; wait; exit $code", "sh"],
      [command, log, "-o", pipe] + (command == "export" ? ["--format", "csv"] : []))
    #expect(run.status == 0, "\(run.errorOutput)")
    let kind = try FileManager.default.attributesOfItem(atPath: pipe)[.type] as? FileAttributeType
    #expect(kind != nil && kind != .typeRegular)
    #expect(try Data(contentsOf: URL(filePath: copy)).count > 100)
  }

  @Test(arguments: ["html", "baseline", "export"])
  func namesTheSystemsReasonWhenThereIsNoRoom(command: String) async throws {
    let log = try await log()
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "report").path
    let run = try await tool.run(
      through: ["sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"],
      [command, log, "-o", output] + (command == "export" ? ["--format", "csv"] : []))
    #expect(run.status == 1)
    #expect(run.errorOutput.contains("File too large"), "\(run.errorOutput)")
    #expect(!FileManager.default.fileExists(atPath: output))
  }
}
