// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// No command changes a database, or a file beside it: bytes, names, inodes, modes and times stay.
///
/// `FUZZ_DATABASES=20000` (`make fuzz-readers`) runs as many damaged databases, and all commands on each
/// special shape; `FUZZ_SEED=7` is the first seed.
@Suite struct UntouchedDatabaseTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let all = environment["FUZZ_DATABASES"].flatMap(UInt64.init)
  private static let first = environment["FUZZ_SEED"].flatMap(UInt64.init) ?? 0
  private let samples: DatabaseSamples

  init() throws { samples = try DatabaseSamples() }

  /// Each seed has one command.
  @Test func damagedDatabasesStayAsTheyAre() async throws {
    let seeds = Self.first..<(Self.first + (Self.all ?? 290))
    try await forEach(Array(seeds)) { seed, folder in
      try samples.damage(seed: seed, in: folder)
      return [DatabaseCommand.all[Int(seed % UInt64(DatabaseCommand.all.count))]]
    }
  }

  @Test func specialShapesStayAsTheyAre() async throws {
    let shapes = DatabaseShape.all
    #expect(shapes.count >= 200)
    try await forEach(Array(shapes.indices)) { index, folder in
      try samples.make(shapes[index], in: folder)
      let count = DatabaseCommand.all.count
      return Self.all == nil ? [DatabaseCommand.all[index % count]] : DatabaseCommand.all
    }
  }

  private func forEach<Case: Sendable>(
    _ cases: [Case],
    _ make: @escaping @Sendable (Case, URL) throws -> [DatabaseCommand]
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      var rest = cases[...]
      func next() {
        guard let item = rest.popFirst() else { return }
        group.addTask {
          let place = try TemporaryDirectory()
          let folder = place.url.appending(path: "case", directoryHint: .isDirectory)
          try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
          for command in try make(item, folder) {
            try await run(command, on: folder, output: place, "\(item)")
          }
        }
      }
      // Two at a time: the machine of a CI has two cores.
      for _ in 0..<2 { next() }
      while try await group.next() != nil { next() }
    }
  }

  private func run(
    _ command: DatabaseCommand, on folder: URL, output: TemporaryDirectory, _ name: String
  ) async throws {
    let before = try FolderSnapshot(folder)
    let arguments = command.arguments(
      database: folder.appending(path: "app.db").path, log: samples.log, baseline: samples.baseline,
      output: output.path("output"))
    let run = try await BuiltTool("trace-report").run(
      through: ["timeout", "-k", "5", "60"], arguments)
    #expect([0, 1, 2, 3].contains(run.status), "\(name) \(command): \(run.errorOutput)")
    #expect(try FolderSnapshot(folder) == before, "\(name) \(command)")
  }
}

/// A command that takes a database.
enum DatabaseCommand: CaseIterable {
  case summary, plans, plansOfSQL, advise, html, baseline, gate, orderings, diff, locks, check

  static let all = allCases

  func arguments(database: String, log: String, baseline: String, output: String) -> [String] {
    let sql = "SELECT b FROM t WHERE b > 'x' AND a > 2"
    return switch self {
    case .summary: ["summary", log, "--json", "--database", database]
    case .plans: ["plans", log, "--database", database]
    case .plansOfSQL: ["plans", "--sql", sql, "--database", database]
    case .advise: ["advise", log, "--database", database]
    case .html: ["html", log, "--advise", "-o", output, "--database", database]
    case .baseline: ["baseline", log, "-o", output, "--database", database]
    case .gate: ["gate", log, "--baseline", baseline, "--database", database]
    case .orderings: ["orderings", "--sql", sql, "--budget", "0.1", "--database", database]
    case .diff: ["diff", log, log, "--html", output, "--database", database]
    case .locks: ["locks", database]
    case .check: ["check", database]
    }
  }
}
