// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceReading
import TraceRendering

struct Capsule: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capsule",
    abstract:
      "Writes what SQLite plans by to a file: the schema and statistics of a database, without rows.",
    usage: """
      trace-report capsule <database> [<input> ...] -o <file>
      trace-report capsule <capsule> --list
      """,
    discussion: """
      trace-report capsule production.db trace/ -o production.capsule
      trace-report capsule production.capsule --list
      trace-report plans --capsule production.capsule --fail-on scan

      The database is only read. The file is JSON: the SQL of the schema, the rows and pages of tables and \
      indexes, sqlite_stat1, the samples of sqlite_stat4, and the forms of a recording's statements. Values of \
      rows and statements are pseudonyms, which have the same order, by BINARY, and the same equalities, types and \
      classes of length; literals of the schema stay as they are. Review it with --list before you pass it on.
      """)

  @Argument(help: "The database; with --list the capsule.", completion: .file())
  var database: String

  @Argument(
    help: ArgumentHelp("Recordings of its statements.", valueName: "input"), completion: .file())
  var inputs: [String] = []

  @Option(name: .shortAndLong, help: "The file to write.", completion: .file())
  var output: String?

  @Flag(help: "Print what a capsule contains, for review.")
  var list = false

  func validate() throws {
    if list, output != nil || !inputs.isEmpty {
      throw ValidationError("--list takes a capsule alone.")
    }
    if !list, output == nil { throw ValidationError("Pass the file to write: -o FILE.") }
  }

  func run() throws {
    guard let output else {
      guard let capsule = try CapsuleOption.capsule(at: database) else {
        throw Failure(
          "\(LogText.quoted(database)) is not a capsule; pass the file that -o named",
          status: ExitStatus.inconclusive)
      }
      return Output.print(Document(capsule: capsule).text(.ofStandardOutput))
    }
    if let size = try? FileManager.default.attributesOfItem(atPath: output)[.size] as? UInt64,
      size > 0, (try? InputContent.isJSON(path: output)) != true
    {
      throw Failure(
        "\(LogText.quoted(output)) is not a capsule and is not overwritten; choose another name")
    }
    guard try CapsuleOption.capsule(at: database) == nil else {
      throw Failure("\(LogText.quoted(database)) is a capsule; list it with --list")
    }
    let file = try ReportedDatabase.open(database)
    let statements = try statements()
    do {
      let capsule = try CapsuleV1(of: file.connection, statements: statements)
      try Output.write(JSONText.encoded(capsule), toFile: output)
      Output.complain("wrote \(output): \(capsule.extent); review it with --list")
    } catch let error as SQLiteError {
      throw Failure(
        LogText.escaped("\(InspectionError(error, path: database))"),
        status: ExitStatus.inconclusive)
    }
  }

  private func statements() throws -> [CapsuleStatement] {
    guard !inputs.isEmpty else { return [] }
    let statements = try StatementSource(paths: Inputs.expanded(inputs), sql: []).read()
    for doubt in statements.doubts { Output.complain(doubt) }
    let conditions = statements.conditions(database)
    return statements.list.filter { statement in
      let isOther = statement.database.map { conditions.ownDatabases?.contains($0) == false }
      return conditions.otherDatabase(statement.sql) == nil && isOther != true
    }.map {
      CapsuleStatement(sql: $0.sql, work: $0.work, values: statements.values($0.sql))
    }
  }
}
