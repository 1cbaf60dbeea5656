// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

@Suite struct RecordsCommandTests {
  private let folder: TemporaryDirectory
  private let records = Program("records")
  private var store: String { folder.path("records.sqlite") }

  init() throws { folder = try TemporaryDirectory() }

  private func generate(_ arguments: String...) async throws -> Program.Run {
    try await records.run(["generate", "--store", store] + arguments)
  }

  private func list(_ arguments: String..., level: Int? = nil) async throws -> Program.Run {
    try await records.run(
      ["list", "--store", store] + arguments,
      environment: level.map { ["STORE_SQL_DEBUG": "\($0)"] } ?? [:])
  }

  /// The lines of a list without times.
  private func values(_ run: Program.Run) -> [Substring] {
    run.output.split(separator: "\n").filter { !$0.contains(" time: ") }
  }

  @Test func listsTheSameOrderBothWays() async throws {
    let made = try await generate()
    #expect(made.output == "made \(store): 1500 records, seed 1\n")
    #expect(made.status == 0 && made.error.isEmpty)
    let before = try await list("--before", "--all")
    let after = try await list("--after", "--all")
    #expect(before.status == 0 && after.status == 0)
    #expect(values(before) == values(after))
    let names = values(before).filter { $0.hasPrefix("        ") }
    #expect(names.count == 1500 && Set(names).count == 1500)
    let places = ["Åström, ", "Strauss, ", "Strauß, ", "van den Berg, ", "Van Dijk, ", "Παππάς, "]
      .map {
        name in names.firstIndex { $0.contains(name) } ?? -1
      }
    #expect(places == places.sorted() && places[0] >= 0)
  }

  @Test func putsEachValueInOneSection() async throws {
    _ = try await generate()
    let lines = values(try await list())
    let initials = lines.map { String($0.prefix(1)) }
    #expect(initials == initials.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
    #expect(initials.prefix(3) == ["A", "B", "C"] && initials.suffix(3) == ["Π", "И", "Щ"])
    let counts = lines.compactMap {
      Int($0.dropFirst().prefix(5).trimmingCharacters(in: .whitespaces))
    }
    #expect(counts.count == lines.count && counts.reduce(0, +) == 1500)
    // Ø and Ö are listed under O, Ł under L.
    #expect(!initials.contains("Ø") && !initials.contains("Ł") && initials.contains("O"))
  }

  @Test(arguments: [
    ("--before", " ORDER BY t0.ZVALUE COLLATE NSCollateLocaleSensitiveNoCase "),
    ("--after", " ORDER BY t0.ZINDEXVALUE"),
  ])
  func printsTheTimesAsTheLogDoes(_ version: String, _ order: String) async throws {
    _ = try await generate("--count", "40")
    let run = try await list(version, level: 4)
    let log = run.error.split(separator: "\n")
    #expect(
      log.contains {
        $0.hasSuffix(
          "sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZINDEXVALUE, t0.ZVALUE FROM ZRECORD t0\(order)")
      })
    let printed = run.output.split(separator: "\n").suffix(2)
    for line in printed {
      let words = line.split(separator: ":", maxSplits: 1)[1].dropFirst()
      #expect(log.contains { $0.contains("annotation: \(words)") }, "\(line)")
    }
    #expect(printed.last?.hasSuffix(" for 40 rows.") == true)
    // Only the one that needs it has SQLite sort.
    #expect(run.error.contains("USE TEMP B-TREE FOR ORDER BY") == (version == "--before"))
    #expect(run.error.contains("USING INDEX ZRECORD_ZINDEXVALUE_INDEX") == (version == "--after"))
  }

  @Test func reportsHowManyTimesItFetched() async throws {
    _ = try await generate("--count", "5")
    let run = try await list("--before", "--repeat", "3", level: 1)
    #expect(run.output.hasSuffix("s for 5 rows. (median of 3)\n"))
    #expect(run.error.split(separator: "\n").count { $0.contains("sql: SELECT 0, ") } == 3)
  }

  @Test func showsItsPlansInAReport() async throws {
    _ = try await generate("--count", "40")
    let run = try await Program("trace-report").run(
      "plans", "--database", store, "--sql",
      "SELECT 0, t0.Z_PK FROM ZRECORD t0 ORDER BY t0.ZVALUE COLLATE NSCollateLocaleSensitiveNoCase ",
      "--sql", "SELECT 0, t0.Z_PK FROM ZRECORD t0 ORDER BY t0.ZINDEXVALUE")
    #expect(run.status == 0 && run.error.isEmpty)
    #expect(run.output.components(separatedBy: "USE TEMP B-TREE FOR ORDER BY").count == 2)
    #expect(run.output.contains("USING COVERING INDEX ZRECORD_ZINDEXVALUE_INDEX"))
  }

  @Test func refusesWhatItCannotDo() async throws {
    let missing = try await list()
    #expect(missing.status == 1)
    #expect(
      missing.error
        == "Error: no store at '\(store)'; make one with 'records generate', or name it "
        + "with --store\n")
    #expect(try await generate("--count", "3").status == 0)
    let again = try await generate("--count", "4")
    #expect(again.status == 1 && again.error.contains("exists already"))
    #expect(try await generate("--count", "4", "--force").status == 0)
    #expect(try await list("--all").output.contains(" for 4 rows."))
    #expect(try await generate("--count", "0").status == 64)
    #expect(try await list("--repeat", "0").status == 64)
  }

  @Test func keepsTheKeyOfEachValue() async throws {
    _ = try await generate("--count", "30", "--seed", "9")
    let other = folder.path("other.sqlite")
    _ = try await records.run("generate", "--count", "30", "--seed", "9", "--store", other)
    #expect(try rows(store) == rows(other))
    #expect(try rows(store).count == 30)
    #expect(try rows(store).allSatisfy { !$0.hasSuffix("|") })
  }

  private func rows(_ path: String) throws -> [String] {
    let statement = try Connection(path: path, mode: .readOnly)
      .prepare("SELECT ZVALUE, hex(ZINDEXVALUE) FROM ZRECORD ORDER BY Z_PK")
    var rows: [String] = []
    while try statement.step() { rows.append("\(statement.string(0))|\(statement.string(1))") }
    return rows
  }
}
