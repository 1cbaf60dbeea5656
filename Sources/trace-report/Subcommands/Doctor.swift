// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceReading
import TraceRecording

struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Reports what a recording of a program would observe, without running the program.",
    discussion: """
      trace-report doctor python3 app.py
      trace-report doctor --pid 4711

      Exits 0 if the program's statements would be observed, 3 if not. For known interpreters it \
      runs one line that opens a database in memory.
      """)

  @Option(help: "Examine a running process, which 'attach' would record.")
  var pid: Int32?

  @Argument(parsing: .captureForPassthrough, help: "The program and its arguments.")
  var command: [String] = []

  func run() throws {
    let command = command.first == "--" ? Array(command.dropFirst()) : command
    guard command.isEmpty == (pid != nil) else {
      throw ValidationError("Name the program to examine, or a process with --pid.")
    }
    let diagnosis =
      try pid.map { try TraceRecording.Doctor.diagnose(process: $0) }
      ?? TraceRecording.Doctor.diagnose(command) { log in
        var events: [StoreEvent] = []
        _ = try TraceReader.read([log]) { events.append($0.event) }
        return events
      }
    Output.print(diagnosis.text)
    if !diagnosis.isObservable { throw ExitStatus.inconclusive }
  }
}

extension ProgramDiagnosis {
  /// One screen: the program, each copy of SQLite, the missing parts.
  fileprivate var text: String {
    var lines = ["\(LogText.escaped(program))"]
    for copy in copies {
      let version = copy.version.isEmpty ? "" : " \(LogText.escaped(copy.version))"
      lines.append("  SQLite\(version) in \(LogText.escaped(copy.path))")
      lines.append(
        copy.way.map { "    observed: \(Self.words(for: $0))" }
          ?? "    not observed: \(LogText.escaped(copy.reason))")
    }
    lines += obstacles.map { "  missing: \(LogText.escaped($0))" }
    lines += remarks.map { "  note: \(LogText.escaped($0))" }
    lines.append(
      isObservable
        ? "Statements would be observed. Next: trace-report \(next)"
        : "Statements would not be observed.")
    return lines.joined(separator: "\n") + "\n"
  }

  private var next: String {
    process.map { "attach -o trace \($0)" } ?? "record -o trace -- CMD"
  }

  private static func words(for way: String) -> String {
    switch way {
    case "got": "the calls of loaded libraries (got)"
    case "symbols": "the symbol table of a static copy, best effort (symbols)"
    case "extension": "as an extension of SQLite (extension)"
    default: way
    }
  }
}
