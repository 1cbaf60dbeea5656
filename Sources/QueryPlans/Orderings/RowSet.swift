// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// A fingerprint of a bag of rows: their order does not count, duplicates do.
///
/// The sum of two independent 64-bit hashes of each row, so that its size does not grow with the
/// rows. Comparable within a process only: the hashes are seeded.
struct RowSet: Hashable {
  private(set) var count: UInt64 = 0
  private var sums: (UInt64, UInt64) = (0, 0)

  /// Steps a statement to its end.
  init(readingAll statement: Statement) throws(SQLiteError) {
    while try statement.step() {
      count += 1
      sums.0 &+= Self.hash(of: statement, salt: 0)
      sums.1 &+= Self.hash(of: statement, salt: 1)
    }
    statement.reset()
  }

  private static func hash(of statement: Statement, salt: Int) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(salt)
    for column in 0..<statement.columnCount {
      let type = statement.columnType(column)
      hasher.combine(type)
      switch type {
      case .null: break
      case .integer: hasher.combine(statement.int64(column))
      case .float: hasher.combine(statement.double(column).bitPattern)
      case .text, .blob:
        let bytes = statement.blob(column)
        hasher.combine(bytes.count)
        hasher.combine(bytes: bytes)
      }
    }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  static func == (a: Self, b: Self) -> Bool { a.count == b.count && a.sums == b.sums }

  func hash(into hasher: inout Hasher) { hasher.combine(count) }
}
