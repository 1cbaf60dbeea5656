// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess
import TestSupport
import Testing

/// Help, completions and the manual page.
@Suite struct MannersTests {
  private let report = Program("trace-report")

  static let commands = [
    "record", "top", "summary", "plans", "orderings", "baseline", "gate", "diff", "html", "export",
    "explain", "advise", "growth", "locks", "check", "incidents",
  ]

  @Test(arguments: commands) func helpHasAnExample(command: String) async throws {
    let run = try await report.run(command, "--help", environment: ["COLUMNS": "80"])
    #expect(run.status == 0)
    let usage = try #require(run.output.range(of: "USAGE:"))
    // Above the usage, which names the command in any case.
    #expect(run.output[..<usage.lowerBound].contains("trace-report \(command) "))
  }

  @Test func helpNamesEveryCommand() async throws {
    let run = try await report.run("--help")
    for command in Self.commands { #expect(run.output.contains("\n  \(command) "), "\(command)") }
    #expect(!run.output.contains("guard-recording") && !run.output.contains("\n  manual"))
  }

  // MARK: - Completions

  @Test(arguments: ["zsh", "fish", "bash"])
  func completionScriptListsCommandsAndValues(shell: String) async throws {
    let run = try await report.run("--generate-completion-script", shell)
    #expect(run.status == 0)
    for word in Self.commands + ["AvoidFaultStorm", "openmetrics", "group-by"] {
      #expect(run.output.contains(word), "\(word)")
    }
  }

  /// The completions that bash offers for the last of some words.
  private func completions(
    _ words: String..., in folder: TemporaryDirectory
  ) async throws -> [String] {
    let script = try await report.run("--generate-completion-script", "bash").output
    let path = folder.path("completion.bash")
    try Data(script.utf8).write(to: URL(filePath: path))
    let line = words.joined(separator: " ")
    let program = """
      cd '\(folder.url.path)'; source '\(path)'
      COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))); COMP_CWORD=\(words.count - 1)
      COMP_LINE='\(line)'; COMP_POINT=\(line.utf8.count); COMP_TYPE=9
      function=$(complete -p trace-report | sed 's/.*-F \\([^ ]*\\).*/\\1/')
      "$function" trace-report "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let result = try await Subprocess.run(
      .name("bash"), arguments: ["--norc", "-c", program], output: .string(limit: 1 << 20),
      error: .string(limit: 1 << 20))
    return result.standardOutput.split(separator: "\n").map(String.init)
  }

  @Test func bashCompletesCommandsValuesAndFiles() async throws {
    let folder = try TemporaryDirectory()
    try Data().write(to: URL(filePath: folder.path("morning.log")))
    try Data().write(to: URL(filePath: folder.path("store.sqlite")))
    #expect(try await completions("trace-report", "adv", in: folder) == ["advise"])
    #expect(
      try await completions("trace-report", "explain", "AvoidFu", in: folder).sorted()
        == ["AvoidFullTableScan"])
    #expect(
      try await completions("trace-report", "summary", "--sort", "p9", in: folder).sorted()
        == ["p95", "p99"])
    #expect(
      try await completions("trace-report", "export", "--format", "per", in: folder)
        == ["perfetto"])
    #expect(try await completions("trace-report", "summary", "morn", in: folder) == ["morning.log"])
    #expect(
      try await completions("trace-report", "plans", "--database", "sto", in: folder)
        == ["store.sqlite"])
  }

  // MARK: - The manual page

  /// `Documentation/trace-report.1` in the sources that were built.
  private var committedPage: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Documentation/trace-report.1")
  }

  @Test func committedManualPageIsUpToDate() async throws {
    let run = try await report.run("manual")
    #expect(run.status == 0)
    let committed = try String(contentsOf: committedPage, encoding: .utf8)
    #expect(run.output == committed, "run 'make man'")
  }

  @Test func manualPageDescribesEveryOption() async throws {
    let page = try await report.run("manual").output
    for command in Self.commands { #expect(page.contains(".SS \"\(command)\""), "\(command)") }
    for option in ["since", "fail\\-on", "lossless", "sizes", "tag", "interval", "exceptions"] {
      #expect(page.contains("\\-\\-\(option)"), "\(option)")
    }
    #expect(!page.contains("guard") && page.allSatisfy(\.isASCII))
  }

  /// Where groff is installed, as it is beside man.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
  func groffHasNothingToWarnOf() async throws {
    let result = try await Subprocess.run(
      .name("groff"), arguments: ["-man", "-ww", "-z", "-Tutf8", committedPage.path],
      output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    #expect(result.terminationStatus.isSuccess)
    #expect(result.standardOutput + result.standardError == "")
  }
}
