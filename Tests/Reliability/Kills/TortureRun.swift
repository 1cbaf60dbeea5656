// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import TestSupport

/// Kills a process that saves, at random, again and again, and looks at the store after it.
public struct TortureRun {
  /// A program with a `save` command that is ``LedgerProcess/run(_:seed:first:random:disk:)``.
  let program: String
  let folder: URL
  private var random: SeededGenerator
  private var storeCount = 0
  private var acknowledged: Int64 = 0
  private var ledgerSeed: UInt64 = 0
  public private(set) var report = Report()

  /// The result.
  public struct Report: Sendable {
    public var kills = 0
    /// By the process's current step.
    public var killsWhile: [LedgerProcess.Word: Int] = [:]
    /// Saves that were reported as done.
    public var acknowledged: Int64 = 0
    /// Saves that were there without having been acknowledged yet.
    public var unacknowledged = 0
    public var checks = 0
  }

  public init(program: String, folder: URL, seed: UInt64) {
    self.program = program
    self.folder = folder
    random = SeededGenerator(seed: seed)
  }

  // A store grows with its history, and is compared as a whole.
  private static let killsPerStore = 50

  private var url: URL {
    folder.appending(path: "\(storeCount)", directoryHint: .isDirectory)
      .appending(path: "ledger.sqlite")
  }

  /// - Throws: ``LedgerError`` at the first store that is not whole; its files are kept.
  public mutating func run(kills: Int, progress: (Report) -> Void = { _ in }) throws {
    while report.kills < kills {
      if report.kills % Self.killsPerStore == 0 { try startStore() }
      try killOnce()
      // Now and then the next process is the one that recovers, and may be killed meanwhile.
      let isLast = report.kills == kills || report.kills % Self.killsPerStore == 0
      if isLast || Int.random(in: 0..<4, using: &random) > 0 { try check() }
      if isLast { report.acknowledged += acknowledged }
      progress(report)
    }
    try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
  }

  private mutating func startStore() throws {
    try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    storeCount += 1
    acknowledged = 0
    ledgerSeed = random.next()
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
  }

  private mutating func killOnce() throws {
    let version = Bool.random(using: &random) ? LedgerVersion.first : .second
    let child = try ChildProcess(
      program,
      ["save", url.path, "\(ledgerSeed)", version.rawValue, "\(random.next() >> 1)"])
    var word: LedgerProcess.Word?
    func hear() -> Bool {
      guard let line = child.readLine()?.split(separator: " "), let first = line.first else {
        return false
      }
      word = LedgerProcess.Word(rawValue: String(first))
      if line.count > 1, let number = Int64(line[1]) { acknowledged = max(acknowledged, number) }
      return true
    }
    // Some while it opens a store for the first time, the others anywhere behind that.
    let isEarly = Int.random(in: 0..<4, using: &random) == 0
    let lines = isEarly ? 1 : Int.random(in: 2...30, using: &random)
    for _ in 0..<lines {
      guard hear() else {
        throw LedgerError("the process ended by itself, with \(child.wait()): \(place)")
      }
    }
    usleep(UInt32.random(in: 0..<8_000, using: &random))
    child.kill()
    // Reads the output up to the kill.
    while hear() {}
    report.kills += 1
    if let word { report.killsWhile[word, default: 0] += 1 }
  }

  private mutating func check() throws {
    do {
      let found = try LedgerCheck(url, seed: ledgerSeed).run(acknowledged: acknowledged)
      if found > acknowledged { report.unacknowledged += 1 }
      // It is there: it must stay.
      acknowledged = found
      report.checks += 1
    } catch {
      throw LedgerError("\(error): \(place)")
    }
  }

  private var place: String { "kill \(report.kills), store \(url.path), seed \(ledgerSeed)" }
}

extension TortureRun.Report: CustomStringConvertible {
  public var description: String {
    func count(_ word: LedgerProcess.Word) -> Int { killsWhile[word] ?? 0 }
    return "\(kills) kills: \(count(.opens)) while opening or migrating, "
      + "\(count(.saves) + count(.saved)) while saving, \(count(.closes)) while closing; "
      + "\(acknowledged) saves acknowledged and there, \(unacknowledged) times one more was there; "
      + "\(checks) checks"
  }
}
