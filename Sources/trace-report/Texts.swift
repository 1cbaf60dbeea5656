// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What a report that leaves the machine contains of the statements.
struct Texts: ParsableArguments {
  @Flag(
    name: .customLong("with-sql"),
    help: "Keep the values in the SQL of JSON and Markdown, which are ? by default.")
  var withSQL = false
}
