// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

@main
struct Records: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "records",
    abstract: "Lists names in localized order, in a naive and an optimized version.",
    discussion: """
      Make a store, and list it both ways:

        records generate --count 1500 --seed 1
        records list --before --repeat 20
        records list --after --repeat 20

      To see the SQL of a list, set STORE_SQL_DEBUG=1, or run it under
      'trace-report record -o t --'.
      """,
    subcommands: [Generate.self, List.self])
}

/// The path of the store.
struct StoreOption: ParsableArguments {
  @Option(name: .customLong("store"), help: "The store's file.")
  var path = "records.sqlite"
}
