// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The exit codes of every subcommand; 64, usage, is ArgumentParser's own.
enum ExitStatus {
  /// The tool failed: an input does not exist, cannot be read, or is neither a trace nor a log.
  static let failed = ExitCode(1)
  /// The gate, or `--fail-on`, found a regression.
  static let regression = ExitCode(2)
  /// No events (an empty file or folder, a trace of nothing), lost events, a program that failed, the
  /// wrong database, no baseline: never a pass.
  static let inconclusive = ExitCode(3)
  /// SIGINT or SIGTERM ended it early.
  ///
  /// The code is that of a process that the signal ended.
  static let interrupted = ExitCode(130)

  /// Each code and its meaning, for help and the manual page.
  static let meanings: [(code: Int32, meaning: String)] = [
    (0, "success"),
    (1, "the tool failed, or an input is missing, unreadable or of an unknown kind"),
    (2, "the gate, or --fail-on, found a regression; prove: not proven"),
    (3, "inconclusive: no events, lost events, a failed program, the wrong database, no baseline"),
    (64, "usage error"),
    (130, "interrupted: the results so far are reported"),
  ]
}
