// SPDX-License-Identifier: Apache-2.0

extension Connection {
  /// When a transaction takes the locks of its file.
  public enum TransactionKind: String, Sendable {
    /// At its first read or write.
    case deferred = "BEGIN"
    /// The write lock at its begin.
    case immediate = "BEGIN IMMEDIATE"
    /// The write lock at its begin; without a write-ahead log no other connection reads meanwhile.
    case exclusive = "BEGIN EXCLUSIVE"
  }

  /// Runs statements that take effect together: a COMMIT ends them, or a ROLLBACK if one throws.
  ///
  /// - Throws: ``SQLiteError`` of BEGIN and COMMIT, and what the closures throw.
  public func transaction<R>(
    _ kind: TransactionKind, execute: ((String) throws -> Void)? = nil, _ body: () throws -> R
  ) throws -> R {
    let execute = execute ?? { try self.execute($0) }
    try execute(kind.rawValue)
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // A full disk makes SQLite roll back by itself.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }
}
