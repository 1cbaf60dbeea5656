// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What the user vouches for, where an input cannot.
struct CompletenessOptions: ParsableArguments {
  @Flag(help: "Take a log or a trace for whole that cannot show it, such as a log of Core Data.")
  var assumeComplete = false

  @Flag(help: "Compare the work of a program that ended with an error.")
  var allowMissing = false

  /// The flags again, for a command that is shown.
  var arguments: [String] {
    (assumeComplete ? ["--assume-complete"] : []) + (allowMissing ? ["--allow-missing"] : [])
  }
}
