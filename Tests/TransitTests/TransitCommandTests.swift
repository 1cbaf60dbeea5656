// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite struct TransitCommandTests {
  private let folder: TemporaryDirectory
  private let transit = Program("transit")
  private var store: String { folder.path("small.sqlite") }

  init() throws { folder = try TemporaryDirectory() }

  private func generate(_ path: String? = nil) async throws -> Program.Run {
    try await transit.run(
      "generate", "--stops", "40", "--stop-times", "4000", "--seed", "1", "--store", path ?? store)
  }

  @Test func generatesAndSearchesAllThreeWays() async throws {
    let made = try await generate()
    #expect(made.status == 0)
    #expect(made.output == "made \(store): 40 stops, 4000 stop times, seed 1\n")
    #expect(made.error == "")

    let found = try await transit.run(
      "search", "--geo", "--departures", "--at", "08:30", "--text", "U GÖRLI", "--repeat", "3",
      "--store", store)
    #expect(found.status == 0)
    #expect(found.error == "")
    let lines = found.output.split(separator: "\n")
    #expect(lines[0] == "12 stops within 80 m of 52.499249, 13.418167")
    #expect(lines[1] == "     0 m  U Görlitzer Bahnhof (Berlin)")
    #expect(lines.count { $0.hasPrefix("after: 15 rows, fetched 3 times, median ") } >= 2)
    #expect(lines.contains { $0.contains("U Görlitzer Bahnhof (Berlin)  08:3") })
    #expect(lines.contains("15 stops with a name that begins with \"U GÖRLI\""))
  }

  @Test func searchesByTextInEachRequestedForm() async throws {
    _ = try await generate()
    let found = try await transit.run(
      "search", "--text", "gorli", "--form", "terms", "--form", "contains", "--form", "begins",
      "--store", store)
    #expect(found.status == 0)
    let lines = found.output.split(separator: "\n")
    #expect(lines.first == "15 stops with words in the name that begin with those of \"gorli\"")
    #expect(lines.contains { $0.hasPrefix("terms: 15 rows, fetched in ") })
    #expect(lines.contains("15 stops with a name that contains \"gorli\""))
    #expect(lines.contains { $0.hasPrefix("contains: 15 rows, fetched in ") })
    #expect(lines.contains("0 stops with a name that begins with \"gorli\""))
    #expect(lines.contains { $0.hasPrefix("begins: 0 rows, fetched in ") })
  }

  @Test func reportsThatItDropsTheIndexBefore() async throws {
    _ = try await generate()
    let before = try await transit.run("search", "--geo", "--before", "--store", store)
    #expect(before.error == "dropped the index ZSTOP_ZLONGITUDE_ZLATITUDE\n")
    #expect(before.output.contains("\nbefore: 15 rows, fetched in "))
    let after = try await transit.run("search", "--geo", "--after", "--store", store)
    #expect(after.error == "created the index ZSTOP_ZLONGITUDE_ZLATITUDE\n")
  }

  @Test func printsTheThreeLinesOfTheDebugLog() async throws {
    _ = try await generate()
    let found = try await transit.run(
      "search", "--geo", "--store", store, environment: ["STORE_SQL_DEBUG": "1"])
    #expect(found.status == 0)
    let lines = found.error.split(separator: "\n").filter { $0.contains("ObjectStore: ") }
    #expect(
      lines.contains {
        $0.hasSuffix(
          "ObjectStore: sql: SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZLATITUDE, "
            + "t0.ZLONGITUDE, t0.ZNAME, t0.ZNORMALIZEDNAME FROM ZSTOP t0 WHERE "
            + "(? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ? AND ? <=  t0.ZLATITUDE AND  "
            + "t0.ZLATITUDE <= ?)  LIMIT 200")
      })
    #expect(lines.contains { $0.contains("annotation: sql connection fetch time: ") })
    #expect(
      lines.contains {
        $0.contains("annotation: total fetch execution time: ") && $0.contains("s for 15 rows.")
      })
  }

  @Test func readsAllStopTimesInTheMemoryOfAFewBatches() async throws {
    _ = try await transit.run(
      "generate", "--stops", "500", "--stop-times", "100000", "--store", store)
    let batched = try await transit.run("all", "--batch-size", "50", "--store", store)
    #expect(batched.status == 0)
    #expect(batched.output.hasPrefix("100000 stop times, known after "))
    #expect(batched.output.contains("\nread in batches of 50 in "))
    let whole = try await transit.run("all", "--batch-size", "0", "--store", store)
    #expect(
      whole.output.split(separator: "\n")[1] == batched.output.split(separator: "\n")[1])
    // 100,000 ids take 0.4 MB, 100,000 rows and objects 30 MB.
    #expect(try #require(Self.growth(in: batched.output)) < 8)
    #expect(try #require(Self.growth(in: whole.output)) > 16)
  }

  /// Megabytes between `memory: 27.7 MB before` and `31.1 MB at most`.
  private static func growth(in output: String) -> Double? {
    let words = output.split { " \n".contains($0) }
    guard let index = words.firstIndex(of: "memory:"), index + 4 < words.count,
      let before = Double(words[index + 1]), let peak = Double(words[index + 4])
    else { return nil }
    return peak - before
  }

  @Test func refusesToReplaceAFile() async throws {
    try Data("precious".utf8).write(to: URL(fileURLWithPath: store))
    let made = try await generate()
    #expect(made.status == 1)
    #expect(
      made.error
        == "Error: '\(store)' exists already; name another file with --store, or replace it with --force\n"
    )
    #expect(try String(contentsOfFile: store, encoding: .utf8) == "precious")
  }

  @Test func replacesAStoreWhenForced() async throws {
    _ = try await generate()
    let again = try await transit.run(
      "generate", "--stops", "3", "--stop-times", "5", "--force", "--store", store)
    #expect(again.status == 0)
    #expect(try TransitFixture.integers("SELECT count(*) FROM ZSTOPTIME", in: store) == [5])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        .filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") } == ["small.sqlite"])
  }

  @Test func neverReplacesAFolder() async throws {
    let made = try await transit.run("generate", "--force", "--store", folder.url.path)
    #expect(made.status == 1)
    #expect(
      made.error == "Error: '\(folder.url.path)' is a folder; name a file in it with --store\n")
    #expect(FileManager.default.fileExists(atPath: folder.url.path))
  }

  @Test func leavesNothingBehindWhereTheFeedIsBad() async throws {
    try Data("stop_id,stop_lat,stop_lon\n1,52,13\n".utf8)
      .write(to: folder.url.appending(path: "stops.txt"))
    try Data("stop_id,arrival_time,departure_time\n1,,\n\"1".utf8)
      .write(to: folder.url.appending(path: "stop_times.txt"))
    let made = try await transit.run("import", "--gtfs", folder.url.path, "--store", store)
    #expect(made.status == 1)
    #expect(made.error == "Error: stop_times.txt:3: a quote opens here and nothing closes it\n")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(files.sorted() == ["stop_times.txt", "stops.txt"])
  }

  @Test func namesGenerateWhereThereIsNoStore() async throws {
    let found = try await transit.run("search", "--geo", "--store", store)
    #expect(found.status == 1)
    #expect(
      found.error
        == "Error: no store at '\(store)'; make one with 'transit generate' or 'transit import', or name it with --store\n"
    )
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func refusesAFileThatIsNoStore() async throws {
    try Data(
      "this is a text, not a database, and longer than a header of one hundred bytes needs to be, by far"
        .utf8
    )
    .write(to: URL(fileURLWithPath: store))
    let found = try await transit.run("search", "--geo", "--store", store)
    #expect(found.status == 1)
    #expect(found.error.contains("is not an SQLite database, or is encrypted"))
  }

  @Test(arguments: [
    ["search"], ["search", "--geo", "--latitude", "91"], ["search", "--geo", "--repeat", "0"],
    ["search", "--departures", "--at", "25:00"], ["search", "--departures", "--at", "noon"],
    ["search", "--geo", "--radius", "nan"], ["generate", "--stops", "0"],
    ["generate", "--stop-times", "-1"], ["import"], ["all", "--batch-size", "-1"],
    ["search", "--geo", "--before", "--after"],
    ["search", "--geo", "--form", "terms"], ["search", "--text", "a", "--form", "best"],
  ])
  func exitsWithSixtyFourOnUsage(arguments: [String]) async throws {
    let run = try await transit.run(arguments)
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(!run.error.isEmpty)
  }
}
