// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The command that `make man` runs; not for users.
struct Manual: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Prints the manual page, trace-report(1).", shouldDisplay: false)

  func run() throws { Output.print(try ManualPage.text()) }
}
