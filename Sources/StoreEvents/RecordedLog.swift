// SPDX-License-Identifier: Apache-2.0

/// The logs of one process in the folder of a recording, named by its id: `4711.log` of a store, and `4711-probe.log`
/// of the probe.
public enum RecordedLog {
  /// Returns the names of the logs of a process.
  public static func names(process: Int32) -> [String] { suffixes.map { "\(process)\($0)" } }

  /// Whether a file has such a name.
  public static func isName(_ name: some StringProtocol) -> Bool {
    suffixes.contains { suffix in
      name.hasSuffix(suffix) && Int32(name.dropLast(suffix.count)).map { $0 > 0 } == true
    }
  }

  private static let suffixes = [".log", "-probe.log"]
}
