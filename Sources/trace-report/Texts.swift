// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The form of the statements in a report that leaves the machine.
struct Texts: ParsableArguments {
  @Flag(
    name: .customLong("with-sql"),
    help: "Keep the values in the SQL of JSON and Markdown, which are ? by default.")
  var withSQL = false
}
