// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The exit codes of every subcommand; 64, usage, is ArgumentParser's own.
enum ExitStatus {
  /// The tool failed.
  static let failed = ExitCode(1)
  /// The gate, or `--fail-on`, found a regression.
  static let regression = ExitCode(2)
  /// No events, lost events, the wrong database, no baseline: never a pass.
  static let inconclusive = ExitCode(3)
}
