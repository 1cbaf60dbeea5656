// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

@main
struct Transit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transit",
    abstract: "Searches the stops and departures of a city, in a naive and an optimized version.",
    discussion: """
      Make a store, or import a feed, and search it both ways:

        transit generate --stops 12800 --stop-times 3000000 --seed 1
        transit import --gtfs feed.zip --store feed.sqlite
        transit search --geo --before --repeat 20
        transit search --departures --at 08:30
        transit search --text "u gorli"
        transit all --batch-size 50

      To see the SQL of a search, set STORE_SQL_DEBUG=1, or run it under
      'trace-report record -o t --'.
      """,
    subcommands: [Generate.self, Import.self, Search.self, All.self])
}

/// The path of the store.
struct StoreOption: ParsableArguments {
  @Option(name: .customLong("store"), help: "The store's file.")
  var path = "transit.sqlite"
}

/// The path of a new store, and whether it may replace an existing one.
struct NewStoreOption: ParsableArguments {
  @OptionGroup var store: StoreOption

  @Flag(help: "Replace the file if it exists.")
  var force = false
}

extension FileHandle {
  /// Writes a line, as one piece.
  func print(_ line: String) {
    try? write(contentsOf: Data((line + "\n").utf8))
  }
}
