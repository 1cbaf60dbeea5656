// SPDX-License-Identifier: Apache-2.0

import Foundation
import Reliability
import TestSupport

/// Shows that a store bears kills and threads; and is the other process where two are needed.
///
///     store-torture kills COUNT [SEED]            kills a process that saves, and looks at the store
///     store-torture threads SECONDS [SEED]        eight threads, readers and writers
///     store-torture controllers SECONDS [SEED]    eight threads with fetched results controllers
///     store-torture ends ROUNDS [SEED]            objects end while their context ends elsewhere
///     store-torture contexts COUNT [SEED]         random steps in three contexts, compared with values
///     store-torture migrations COUNT [SEED]       opens stores with other models, compares all members
///     store-torture hostile FIRST COUNT FOLDER    opens and changes stores that were damaged at random
///     store-torture save STORE SEED VERSION RANDOM          what `kills` kills
///     store-torture crash STORE SEED VERSION CALL opening|saving    kills itself at a call to the disk
///     store-torture full STORE SEED BYTES         saves until no file may grow any more
///     store-torture follow STORE                  obeys its standard input, a line each
@main
enum StoreTorture {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch (arguments.first, arguments.count) {
      case ("kills", 2...3): try kills(Int(arguments[1]) ?? 0, seed(arguments))
      case ("save", 5):
        try LedgerProcess.run(
          URL(fileURLWithPath: arguments[1]), seed: UInt64(arguments[2]) ?? 0,
          first: LedgerVersion(rawValue: arguments[3]) ?? .first, random: UInt64(arguments[4]) ?? 0)
      case ("crash", 6):
        try LedgerProcess.crash(
          URL(fileURLWithPath: arguments[1]), seed: UInt64(arguments[2]) ?? 0,
          version: LedgerVersion(rawValue: arguments[3]) ?? .first, call: Int(arguments[4]) ?? 0,
          opening: arguments[5] == "opening")
      case ("follow", 2): try StoreFollower.run(URL(fileURLWithPath: arguments[1]))
      case ("full", 4):
        try FullDisk.run(
          URL(fileURLWithPath: arguments[1]), seed: UInt64(arguments[2]) ?? 0,
          bytes: UInt64(arguments[3]) ?? 0)
      case ("threads", 2...3): threads(Double(arguments[1]) ?? 0, seed(arguments), threads)
      case ("controllers", 2...3):
        threads(Double(arguments[1]) ?? 0, seed(arguments), controllers)
      case ("contexts", 2...3): try contexts(Int(arguments[1]) ?? 0, seed(arguments))
      case ("migrations", 2...3): try migrations(UInt64(arguments[1]) ?? 0, seed(arguments))
      case ("hostile", 4):
        try hostile(
          UInt64(arguments[1]) ?? 0, UInt64(arguments[2]) ?? 0, URL(fileURLWithPath: arguments[3]))
      case ("ends", 2...3):
        let folder = try TemporaryDirectory()
        var run = try ObjectEndRun(folder: folder.url, seed: seed(arguments))
        print(try run.run(rounds: Int(arguments[1]) ?? 0))
      default:
        print(
          "usage: store-torture kills COUNT | threads SECONDS | ends ROUNDS | contexts COUNT [SEED]"
        )
        exit(64)
      }
    } catch {
      print("store-torture \(arguments.joined(separator: " ")): \(error)")
      exit(1)
    }
  }

  /// The seed of the arguments, or a random one; it is printed.
  private static func seed(_ arguments: [String]) -> UInt64 {
    let seed = arguments.count > 2 ? UInt64(arguments[2]) ?? 0 : .random(in: 0...999_999_999)
    print("seed \(seed)")
    return seed
  }

  /// Seeds from one on; FOLDER keeps the case that ends the process.
  private static func hostile(_ first: UInt64, _ count: UInt64, _ folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var run = try HostileRun(folder)
    try run.run(first..<first + count)
    print(run.report)
  }

  private static func contexts(_ count: Int, _ first: UInt64) throws {
    var failures = 0
    for seed in first..<first + UInt64(count) {
      // Printed before the run, since a trap prints no seed.
      FileHandle.standardError.write(Data("\rseed \(seed) ".utf8))
      do { try ContextSequences.run(seed: seed) } catch {
        print("\n\(error)")
        fflush(nil)
        failures += 1
      }
    }
    print("\(count) sequences of steps, \(failures) of which failed")
    if failures > 0 { exit(1) }
  }

  private static func migrations(_ count: UInt64, _ first: UInt64) throws {
    var run = RelationshipMigrations()
    for seed in first..<first + count {
      FileHandle.standardError.write(Data("\rseed \(seed) ".utf8))
      try run.run(seed: seed)
    }
    print(run.failures.joined(separator: "\n\n"))
    print(run.report)
    if !run.failures.isEmpty { exit(1) }
  }

  /// Beside the main queue, which one of the contexts needs.
  private static func threads(
    _ seconds: Double, _ seed: UInt64,
    _ run: @escaping @Sendable (URL, UInt64, Double) throws -> String
  ) -> Never {
    Thread.detachNewThread {
      do {
        let folder = try TemporaryDirectory()
        print(try run(folder.url, seed, seconds))
        exit(0)
      } catch {
        print("seed \(seed): \(error)")
        exit(1)
      }
    }
    dispatchMain()
  }

  private static func threads(
    _ folder: URL, _ seed: UInt64, _ seconds: Double
  ) throws -> String {
    try ThreadRun(folder: folder, seed: seed).run(seconds: seconds)
  }

  private static func controllers(
    _ folder: URL, _ seed: UInt64, _ seconds: Double
  ) throws -> String {
    try ControllerRun(folder: folder, seed: seed).run(seconds: seconds)
  }

  private static func kills(_ count: Int, _ seed: UInt64) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "store-torture-\(seed)-\(ProcessInfo.processInfo.processIdentifier)")
    var run = TortureRun(program: "/proc/self/exe", folder: folder, seed: seed)
    let start = ContinuousClock.now
    try run.run(kills: count) { report in
      if report.kills % 100 == 0 {
        FileHandle.standardError.write(Data("\(report.kills) kills\n".utf8))
      }
    }
    try? FileManager.default.removeItem(at: folder)
    print("\(run.report); \(start.duration(to: .now))")
  }
}
