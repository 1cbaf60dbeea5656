// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Glibc
import StoreEvents
import TraceRecording
public import TraceRendering

struct Top: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows the statements of a running program, second by second.",
    discussion: """
      trace-report top debug.log
      trace-report top -- transit search --geo --repeat 100000
      trace-report top --pid 4711
      trace-report top debug.log --json --count 60 > minute.jsonl

      A log is read from its beginning and then followed, also if it is rotated or truncated. A \
      program after -- is observed through its log, which takes no space; q ends it. \
      --pid loads the probe into a process that runs already, as 'attach' does, and removes its hooks at the end. Keys: q quits, s sorts by another column, \
      p pauses, r resets the counts, arrows select a statement and show its SQL.
      Without a terminal a block of text, or with --json a line, is printed each interval.
      """)

  @Argument(
    help: ArgumentHelp(
      "A debug log, or - for one on standard input.",
      valueName: "input"),
    completion: .file())
  var input: String?

  @Option(help: "Load the probe into this running process, and follow its log.")
  var pid: Int32?

  @Option(help: "The length of an interval: 1s, 500ms.")
  var interval = DurationArgument(nanoseconds: 1_000_000_000)

  @Option(help: "The number of intervals to show.")
  var count: Int?

  @Option(help: "The order of the statements.")
  var sort = TopOrder.now

  @Option(help: "The number of statements to print; on a terminal, as many as fit.")
  var top = 10

  @Flag(help: "Print a line of JSON each interval, schemaVersion 1.")
  var json = false

  @Option(
    name: .shortAndLong,
    help: "Write the program's output to this file; otherwise a terminal's is discarded.",
    completion: .file())
  var output: String?

  @Argument(
    parsing: .postTerminator, help: "The program to run and its arguments, after --.",
    completion: .file())
  var command: [String] = []

  func validate() throws {
    guard [input != nil, pid != nil, !command.isEmpty].count(where: { $0 }) == 1 else {
      throw ValidationError("Pass either a log, --pid, or a program after --.")
    }
    if output != nil, command.isEmpty {
      throw ValidationError("--output needs a program after --.")
    }
    guard (10_000_000...3_600_000_000_000).contains(interval.nanoseconds) else {
      throw ValidationError("--interval takes 10ms to 1h.")
    }
    if let count, count < 1 { throw ValidationError("--count takes a number from 1 up.") }
    if top < 1 { throw ValidationError("--top takes a number from 1 up, not \(top).") }
  }

  func run() throws {
    Signals.catchEnding()
    let screen =
      json ? nil : TopTerminal(order: sort, isColored: TextStyle.ofStandardOutput.isColored)
    let source = try source(hasScreen: screen != nil)
    var loop = TopLoop(
      source, view: screen ?? TopLines(json ? .json : .text, order: sort, top: top),
      interval: .nanoseconds(interval.nanoseconds), count: count)
    let result = Result { try loop.run() }
    source.close()
    try result.get()
    // On a screen the user may have waited without events on purpose.
    if screen == nil, Signals.end == nil, source.exitCode == 0, !source.hasEvents {
      throw Failure.noEvents([source.name])
    }
    if source.exitCode != 0, Signals.end == nil { throw ExitCode(source.exitCode) }
  }

  private func source(hasScreen: Bool) throws -> TopSource {
    if let input { return try TopSource(input) }
    if let pid { return try TopSource(process: pid) }
    let output: LiveRecording.Output =
      output.map { .file($0) } ?? (hasScreen ? .file("/dev/null") : .standardError)
    return try TopSource(command: command, output: output)
  }
}

extension TopOrder: ExpressibleByArgument {}

extension DurationArgument: CustomStringConvertible {
  init(nanoseconds: Nanoseconds) {
    self.nanoseconds = nanoseconds
    text = "\(nanoseconds)ns"
  }

  var description: String {
    nanoseconds % 1_000_000_000 == 0
      ? "\(nanoseconds / 1_000_000_000)s" : "\(nanoseconds / 1_000_000)ms"
  }
}
