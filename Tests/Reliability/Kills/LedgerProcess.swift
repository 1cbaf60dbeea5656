// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import ObjectStore
import TestSupport

/// The work of the process that is killed: it opens the ledger, saves, closes it and opens it as
/// the other version, in an endless loop, and prints each step.
public enum LedgerProcess {
  /// Its output, a line each.
  public enum Word: String, Sendable {
    /// It is about to open the store, which may migrate it.
    case opens
    /// It is about to save for the first time.
    case saves
    /// `saved 12`: a save has returned.
    case saved
    /// It is about to close the store.
    case closes
  }

  public static func run(
    _ url: URL, seed: UInt64, first version: LedgerVersion, random: UInt64
  ) throws -> Never {
    var random = SeededGenerator(seed: random)
    var version = version
    while true {
      say(.opens)
      let container = try version.open(url)
      let writer = try LedgerWriter(container, version, seed: seed)
      say(.saves)
      for _ in 0..<Int.random(in: 1...12, using: &random) { say(.saved, try writer.save()) }
      say(.closes)
      container.close()
      version = version.other
    }
  }

  /// Opens the ledger and saves one step, and is killed at a certain call to the disk of the one or
  /// the other; if there are not so many, it ends by itself.
  public static func crash(
    _ url: URL, seed: UInt64, version: LedgerVersion, call: Int, opening: Bool
  ) throws {
    let disk = FaultyDisk()
    if opening { disk.fail(.all, number: call, with: .kill) }
    let container = try version.open(url, disk.options())
    disk.repair()
    guard !opening else { return say(.saves) }
    let writer = try LedgerWriter(container, version, seed: seed)
    disk.fail(.all, number: call, with: .kill)
    say(.saved, try writer.save())
    disk.repair()
  }

  /// Past the C library: its buffers would be lost with the process.
  private static func say(_ word: Word, _ number: Int64? = nil) {
    let bytes = Array((word.rawValue + (number.map { " \($0)" } ?? "") + "\n").utf8)
    _ = write(1, bytes, bytes.count)
  }
}
