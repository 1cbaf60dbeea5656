// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

@main
struct TraceReport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace-report",
    abstract: "Shows what an object store asked of SQLite, what it cost, and what to change.",
    version: "0.1.0", subcommands: [])
}
