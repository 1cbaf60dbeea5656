// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Runs a program with its debug log in a file, observed by the probe where it is installed.
public enum LoggedProgram {
  /// Whether a signal ended us while a program ran; the program got it as well.
  public static var wasInterrupted: Bool { TracedProgram.wasInterrupted }

  /// Runs a program to its end, with its standard output sent to standard error.
  public static func run(
    _ command: [String], log: String
  ) throws(RecordingError) -> Recording.Outcome {
    try TracedProgram.check(command)
    // Our own standard output holds the report and nothing else.
    let output = dup(STDOUT_FILENO)
    dup2(STDERR_FILENO, STDOUT_FILENO)
    defer {
      dup2(output, STDOUT_FILENO)
      close(output)
    }
    TracedProgram.catchSignals()
    return try TracedProgram.run(command, adding: variables(log: log))
  }

  /// The variables that make a program write its events to a log.
  static func variables(log: String) -> [(String, String)] {
    [("STORE_SQL_DEBUG", "1"), ("STORE_SQL_DEBUG_FILE", log)]
      + (ProbeLibrary.path().map(ProbeLibrary.variables) ?? [])
  }
}
