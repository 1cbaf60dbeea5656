// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRecording
import TraceRendering

struct Growth: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "growth",
    abstract: "Runs a program with several sizes, and lists statements that grow like a scan.",
    discussion: """
      trace-report growth --sizes 1000,10000,100000 -- ./search.sh {size}

      The program gets each size in place of {size}, and STORE_SQL_DEBUG=1. Three sizes or more, \
      each a few times the one before. Exits with 3 if there is no verdict.
      """)

  enum FailOn: String, ExpressibleByArgument, CaseIterable { case scan }

  @Option(help: "The sizes, such as 10000,100000,1000000.")
  var sizes: String

  @Option(help: "Exit with 2 if a statement grows like this: scan.")
  var failOn: FailOn?

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  @Argument(
    parsing: .postTerminator, help: "The program to run and its arguments, after --.",
    completion: .file())
  var command: [String]

  private var numbers: [UInt64] {
    sizes.split(separator: ",", omittingEmptySubsequences: false).map { UInt64($0) ?? 0 }
  }

  func validate() throws {
    if command.isEmpty { throw ValidationError("Name the program to run after --.") }
    if !command.contains(where: { $0.contains("{size}") }) {
      throw ValidationError("The command has no {size}, so every run would do the same work.")
    }
    if numbers.contains(0) || Set(numbers).count != numbers.count {
      throw ValidationError("--sizes takes different numbers from 1 up, such as 1000,10000,100000.")
    }
  }

  func run() throws {
    ReadingInterruption.catchSignals()
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "storescope-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let growth = try growth(in: folder)
    try Output.print(
      json ? JSONText.encoded(GrowthV1(growth)) : Document(growth: growth).text(.ofStandardOutput))
    if Self.wasInterrupted { throw ExitStatus.interrupted }
    switch growth.verdict {
    case .inconclusive: throw ExitStatus.inconclusive
    case .growsLikeScan where failOn == .scan: throw ExitStatus.regression
    default: return
    }
  }

  private static var wasInterrupted: Bool {
    LoggedProgram.wasInterrupted || ReadingInterruption.isRequested
  }

  /// The runs of all sizes, or of the sizes before an interruption.
  private func growth(in folder: URL) throws -> TraceAnalysis.Growth {
    var runs: [(size: UInt64, profile: Profile)] = []
    let begin = ContinuousClock.now
    for size in numbers where !Self.wasInterrupted {
      announce(size, after: runs.map(\.size), since: begin)
      do {
        let profile = try profile(size: size, in: folder)
        if !Self.wasInterrupted { runs.append((size, profile)) }
      } catch {
        guard Self.wasInterrupted else { throw error }
      }
    }
    if runs.isEmpty { throw Failure.interrupted(before: "the first size was done") }
    var growth = TraceAnalysis.Growth(runs)
    if Self.wasInterrupted {
      growth.doubts.insert("interrupted; \(runs.count) of \(numbers.count) sizes were run", at: 0)
    }
    return growth
  }

  /// On a terminal this line stays, because the program may write below it.
  private func announce(
    _ size: UInt64, after done: [UInt64], since begin: ContinuousClock.Instant
  ) {
    guard Output.isTerminal(STDERR_FILENO) else { return }
    // The time of a run is assumed to be proportional to its size.
    let sum = { (sizes: [UInt64]) in sizes.reduce(0.0) { $0 + Double($1) } }
    let left = Progress.timeLeft(
      after: Double((ContinuousClock.now - begin).nanoseconds) / 1e9,
      part: sum(done) / sum(numbers))
    Output.complain(
      "size \(size.grouped), \(done.count + 1) of \(numbers.count)"
        + (left.map { ", about \($0) left" } ?? ""))
  }

  private func profile(size: UInt64, in folder: URL) throws -> Profile {
    let log = folder.appending(path: "\(size).log").path
    let command = command.map { $0.replacing("{size}", with: "\(size)") }
    guard case .exited(0) = try LoggedProgram.run(command, log: log) else {
      throw Failure("\(LogText.quoted(command.joined(separator: " "))) failed at size \(size)")
    }
    guard FileManager.default.fileExists(atPath: log) else {
      throw Failure.noEvents(
        from: command.joined(separator: " "),
        because: ProbeLibrary.path() == nil
          ? "opened no ObjectStore store, and \(ProbeLibrary.fileName) was not found; run "
            + "'make probe', or name it in STORESCOPE_PROBE"
          : "ran no statement of SQLite that the probe could observe; see: trace-report doctor")
    }
    return try Inputs.profile(of: [log])
  }
}
