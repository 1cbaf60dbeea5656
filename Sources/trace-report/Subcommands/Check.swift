// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DatabaseLocks
import FoundationEssentials
import QueryPlans
import StoreEvents
import TraceRendering

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks a database file, its log and its journal, without changing them.",
    discussion: """
      trace-report check app.db
      trace-report check backup.db --json || alert

      Reads the header, the log and the journal as they are, and runs integrity_check and \
      foreign_key_check on a private copy in TMPDIR. The copy is made by SQLite's online backup: programs \
      can use the database meanwhile. Exits with 2 if something is damaged, and with 3 if the file could \
      not be checked.
      """)

  @Argument(help: "The database file.", completion: .file())
  var database: String

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  func run() throws {
    // First: no file may be read and closed while SQLite has it open in this process.
    guard let path = Self.resolved(database), let facts = FileFacts(path: path) else {
      throw Failure(
        "no readable database file: \(LogText.quoted(database)); check the path and its permissions"
      )
    }
    let sample = (try? LockObserver(path: path))?.sample()
    let (check, failure) = Self.check(facts)
    let report = CheckReport(facts, sample, check: check, failure: failure)
    try Output.print(
      json ? JSONText.encoded(CheckV1(report)) : Document(check: report).text(.ofStandardOutput))
    switch report.verdict {
    case .sound: return
    case .damaged: throw ExitStatus.regression
    case .inconclusive: throw ExitStatus.inconclusive
    }
  }

  private static func check(_ facts: FileFacts) -> (DatabaseCheck?, failure: String?) {
    guard facts.journalMode != .unknown else { return (nil, nil) }
    let folder = FileManager.default.temporaryDirectory.path
    if Output.isTerminal(2) {
      Output.complain(
        "the copy takes up to \(Cell.bytes(facts.copyBytes).text) in \(LogText.quoted(folder))")
    }
    var progress = Progress("pages", isLong: true)
    do {
      let check = try DatabaseCheck(path: facts.path) { copied, all in
        progress.report(UInt64(copied), of: UInt64(all))
      }
      progress.end()
      return (check, nil)
    } catch {
      progress.end()
      return (nil, "\(error)")
    }
  }

  private static func resolved(_ path: String) -> String? {
    FileManager.default.fileExists(atPath: path)
      ? URL(filePath: path).resolvingSymlinksInPath().path : nil
  }
}
