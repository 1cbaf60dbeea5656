// SPDX-License-Identifier: Apache-2.0

/// The debug log of one process in the folder of a recording, named by its id: `4711.log`.
public enum RecordedLog {
  /// Returns the name of the log of a process.
  public static func name(process: Int32) -> String { "\(process)\(suffix)" }

  /// Whether a file has such a name.
  public static func isName(_ name: some StringProtocol) -> Bool {
    name.hasSuffix(suffix) && Int32(name.dropLast(suffix.count)).map { $0 > 0 } == true
  }

  private static let suffix = ".log"
}
