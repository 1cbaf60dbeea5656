// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What `make man` runs; not for users, who have the page.
struct Manual: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the manual page, trace-report(1).", shouldDisplay: false)

  func run() throws { Output.print(try ManualPage.text()) }
}
