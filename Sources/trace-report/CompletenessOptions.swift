// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Assertions of the user about inputs that cannot be checked.
struct CompletenessOptions: ParsableArguments {
  @Flag(help: "Treat a log or a trace as complete that cannot show it, such as a log of Core Data.")
  var assumeComplete = false

  @Flag(help: "Compare the work of a program that ended with an error.")
  var allowMissing = false

  /// The flags as arguments, for a command line that is printed.
  var arguments: [String] {
    (assumeComplete ? ["--assume-complete"] : []) + (allowMissing ? ["--allow-missing"] : [])
  }
}
