// SPDX-License-Identifier: Apache-2.0

/// Facts about versions of SQLite.
public enum SQLiteVersion {
  /// Whether a version has the fix of the race between a checkpoint and the reset of the log.
  ///
  /// 3.51.3 has it, and the backports 3.50.7 and 3.44.6.
  ///
  /// Related SQLite documentation: <https://www.sqlite.org/wal.html>
  ///
  /// - Returns: nil if the text is not a version of three numbers.
  public static func hasResetFix(_ version: String) -> Bool? {
    let parts = version.split(separator: ".").map { Int($0) }
    guard parts.count == 3, case let numbers = parts.compactMap({ $0 }), numbers.count == 3
    else { return nil }
    if numbers.starts(with: [3, 50]) { return numbers[2] >= 7 }
    if numbers.starts(with: [3, 44]) { return numbers[2] >= 6 }
    return !numbers.lexicographicallyPrecedes([3, 51, 3])
  }
}
