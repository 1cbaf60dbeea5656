// SPDX-License-Identifier: Apache-2.0

/// The file in a trace's folder that its recorder holds locked (`flock`) until the trace is whole.
public enum RecordingMark {
  public static let fileName = ".recording"

  /// Its content as long as the recording goes on, which a process that writes a log has mapped.
  public static let goesOn: StaticString = "1"
  /// Its content from the end of the logs on.
  public static let hasEnded: StaticString = "0"
}
