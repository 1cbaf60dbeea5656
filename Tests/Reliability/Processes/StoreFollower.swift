// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
public import ObjectStore
import SQLiteDriver
public import StoreInstruments

/// The other process on a store of counters: it obeys its input, a line each, and reports each
/// step.
///
///     insert 7        a counter, saved: `done`
///     set 7 40        its total, saved
///     increment 7 20  so many times, each saved, again after a conflict
///     hold, release   takes the write lock, and releases it
public struct StoreFollower {
  private let container: PersistentContainer
  private let connection: Connection

  public static func run(_ url: URL) throws {
    let follower = StoreFollower(
      container: try open(url), connection: try Connection(path: url.path))
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      do {
        print(try follower.follow(words.first ?? "", words.dropFirst().compactMap { Int64($0) }))
      } catch { print(error) }
      fflush(nil)
    }
  }

  /// A store of counters, as both processes open it.
  public static func open(
    _ url: URL, _ options: StoreOptions = StoreOptions(), instruments: Instruments? = nil
  ) throws -> PersistentContainer {
    try PersistentContainer(
      at: url, entities: [Counter.self], options: options, instruments: instruments)
  }

  private func follow(_ word: String, _ numbers: [Int64]) throws -> String {
    let context = container.mainContext
    switch (word, numbers.count) {
    case ("insert", 1):
      context.insert(Counter.self).number = numbers[0]
      try context.save()
    case ("set", 2):
      let counter = try context.counter(numbers[0])
      _ = try context.saveRetrying { counter.total = numbers[1] }
    case ("increment", 2):
      let counter = try context.counter(numbers[0])
      for _ in 0..<numbers[1] { _ = try context.saveRetrying { counter.total += 1 } }
    case ("hold", 0): try connection.execute("BEGIN IMMEDIATE")
    case ("release", 0): try connection.execute("COMMIT")
    default: return "unknown: \(word)"
    }
    return "done"
  }
}
