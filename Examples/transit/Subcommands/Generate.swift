// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TransitModel

struct Generate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a store of an invented city shaped like Berlin; a seed makes it again.",
    discussion: """
      Example: transit generate --stops 1280 --stop-times 60000 --seed 1 --store small.sqlite
      """)

  @Option(help: "How many stops.")
  var stops = 12_800

  @Option(help: "How many stop times, shared out among the stops.")
  var stopTimes = 3_000_000

  @Option(help: "Seed of the city: the same seed and numbers make the same store.")
  var seed: UInt64 = 1

  @OptionGroup var target: NewStoreOption

  func validate() throws {
    guard (1...1_000_000).contains(stops) else {
      throw ValidationError("--stops takes a number from 1 to 1000000, not \(stops).")
    }
    guard (0...1_000_000_000).contains(stopTimes) else {
      throw ValidationError("--stop-times takes a number from 0 to 1000000000, not \(stopTimes).")
    }
  }

  func run() async throws {
    let city = City(stops: stops, stopTimes: stopTimes, seed: seed)
    let path = target.store.path
    try await NewStore.make(at: path, replacing: target.force) { try $0.write(city) }
    print("made \(path): \(stops) stops, \(stopTimes) stop times, seed \(seed)")
  }
}
