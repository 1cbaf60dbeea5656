// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import StatementReplay
import StoreEvents
import TraceReading
import TraceRendering

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Runs recorded statements again on copies, as it was and with a change.",
    discussion: """
      trace-report record --replayable app.db -o trace -- python3 app.py
      trace-report replay trace --with 'CREATE INDEX book_author ON book(author_id)'
      trace-report replay trace --sqlite /opt/sqlite-3.50/libsqlite3.so

      Each statement runs with its recorded values on two private copies, in the order of the commits: \
      one as it was, one with the change. Rows, changes and result codes are compared with the \
      recording first. Exits with 2 if a statement has another plan and twice the VM steps, or another result, \
      with the change, and with 3 if a run could not be replayed as it was recorded.
      """)

  enum Analyze: String, ExpressibleByArgument, CaseIterable { case none, optimize, full }

  @OptionGroup var inputs: Inputs

  @Option(
    help: "The database as it was at the start, if the recording has no copy; it is only read.",
    completion: .file())
  var database: String?

  @Option(name: .customLong("with"), help: "A statement that runs first, such as CREATE INDEX.")
  var statements: [String] = []

  @Option(help: "A file of statements that run first.", completion: .file())
  var schema: String?

  @Option(help: ArgumentHelp("A setting of each connection.", valueName: "name=value"))
  var pragma: [String] = []

  @Option(help: "Statistics that the copy gets: none, optimize or full.")
  var analyze = Analyze.none

  @Option(
    help: "Another library of SQLite to run the statements; several are compared in a table.",
    completion: .file())
  var sqlite: [String] = []

  @Flag(help: "Wait between statements as long as the program did.")
  var thinkTime = false

  @Flag(help: "Try the usual settings, one after the other, and print those that pay.")
  var advisePragmas = false

  @Flag(help: "Print JSON, schemaVersion 1; with several --sqlite an array, in their order.")
  var json = false

  func validate() throws {
    for setting in pragma where Self.parts(of: setting) == nil {
      throw ValidationError("--pragma takes NAME=VALUE, not '\(setting)'.")
    }
    if advisePragmas,
      json || !pragma.isEmpty || !statements.isEmpty || schema != nil || sqlite.count > 1
    {
      throw ValidationError(
        "--advise-pragmas excludes --json, --with, --schema, --pragma and a second --sqlite.")
    }
  }

  private static func parts(of setting: String) -> (name: String, value: String)? {
    guard let equals = setting.firstIndex(of: "=") else { return nil }
    let name = setting[..<equals].trimmingCharacters(in: .whitespaces)
    let value = setting[setting.index(after: equals)...].trimmingCharacters(in: .whitespaces)
    // Part of the text of a statement: words and numbers only.
    let isPlain = { (text: String) in
      !text.isEmpty && text.utf8.allSatisfy { $0 == 0x5f || $0 == 0x2d || $0.isAlphanumeric }
    }
    return isPlain(name) && isPlain(value) ? (name, value) : nil
  }

  func run() throws {
    ReadingInterruption.catchSignals()
    var progress = Progress("runs replayed", isLong: true)
    defer { progress.end() }
    if advisePragmas { return try tryPragmas(&progress) }
    if sqlite.count > 1 { return try compareVersions(&progress) }
    let change = try change(sqlite.first)
    let replay = try replay(change, &progress)
    progress.end()
    try Output.print(
      json
        ? JSONText.encoded(ReplayV1(replay, change))
        : Document(replay: replay, change: change).text(.ofStandardOutput))
    guard replay.isConclusive else { throw ExitStatus.inconclusive }
    if replay.isWorse { throw ExitStatus.regression }
  }

  private func replay(_ change: ReplayChange, _ progress: inout Progress) throws -> Replay {
    try Replay(inputs.paths, change: change, database: database) { progress.report($0) }
  }

  private func compareVersions(_ progress: inout Progress) throws {
    var versions: [ReplayedVersion] = []
    for library in sqlite {
      let change = try change(library)
      let replay = try replay(change, &progress)
      versions.append(ReplayedVersion(library: library, change: change, replay: replay))
    }
    progress.end()
    try Output.print(
      json
        ? JSONText.encoded(versions.map { ReplayV1($0.replay, $0.change) })
        : Document(replayedVersions: versions).text(.ofStandardOutput))
    guard versions.allSatisfy(\.replay.isConclusive) else { throw ExitStatus.inconclusive }
    if versions.contains(where: \.replay.isWorse) { throw ExitStatus.regression }
  }

  private func tryPragmas(_ progress: inout Progress) throws {
    var trials: [PragmaTrial] = []
    for candidate in PragmaCandidate.usual {
      var change = try change(sqlite.first)
      change.pragmas = [(candidate.name, candidate.value)]
      trials.append(PragmaTrial(candidate, try replay(change, &progress)))
    }
    progress.end()
    Output.print(Document(pragmaTrials: trials).text(.ofStandardOutput))
    guard trials.allSatisfy({ $0.replay.isConclusive }) else { throw ExitStatus.inconclusive }
  }

  private func change(_ library: String?) throws -> ReplayChange {
    var change = ReplayChange()
    change.statements = statements
    if let schema {
      guard let text = try? String(contentsOfFile: schema, encoding: .utf8) else {
        throw Failure("cannot read \(LogText.quoted(schema)) as a file of statements")
      }
      change.statements.append(text)
    }
    change.pragmas = pragma.compactMap(Self.parts)
    change.analyze = ReplayChange.Analyze(rawValue: analyze.rawValue) ?? .none
    change.keepsPauses = thinkTime
    if let library { change.library = try SQLiteLibrary(path: library) }
    return change
  }
}

extension UInt8 {
  fileprivate var isAlphanumeric: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }
}
