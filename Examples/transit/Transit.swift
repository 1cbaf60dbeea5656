// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

@main
struct Transit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transit", abstract: "Searches stops and departures, before and after.",
    subcommands: [])
}
