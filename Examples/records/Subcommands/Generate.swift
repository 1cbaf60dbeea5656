// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import RecordsModel

struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a store of invented names of many languages; a seed makes it again.",
    discussion: "Example: records generate --count 1500 --seed 1 --store names.sqlite")

  @Option(help: "How many records.")
  var count = 1500

  @Option(help: "Seed of the names: the same seed and number make the same store.")
  var seed = 1

  @OptionGroup var store: StoreOption

  @Flag(help: "Replace the file if it exists.")
  var force = false

  func validate() throws {
    guard (1...RecordStore.maxRecords).contains(count) else {
      throw ValidationError(
        "--count takes a number from 1 to \(RecordStore.maxRecords), not \(count).")
    }
    guard seed >= 0 else { throw ValidationError("--seed takes a number from 0 up, not \(seed).") }
  }

  func run() throws {
    try RecordStore.make(at: store.path, count: count, seed: seed, replacing: force)
    print("made \(store.path): \(count) records, seed \(seed)")
  }
}
