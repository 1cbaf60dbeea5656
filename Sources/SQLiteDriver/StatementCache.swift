// SPDX-License-Identifier: Apache-2.0

/// The prepared statements of a connection, by their SQL; those in use keep their places, so that a
/// statement is hashed once when it is taken and not again when it comes back.
///
/// The one longest unused goes first when the cache is full.
final class StatementCache {
  private var statements: [String: Statement] = [:]
  private var clock: UInt64 = 0
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// A statement that is not in use.
  func take(_ sql: String) -> Statement? {
    guard let statement = statements[sql], !statement.isInUse else { return nil }
    statement.isInUse = true
    return statement
  }

  /// Keeps a statement; of two with the same SQL, the one inserted last.
  func insert(_ statement: Statement) {
    clock += 1
    statement.lastUse = clock
    statement.isInUse = false
    if !statement.isCached, capacity > 0 { keep(statement) }
  }

  private func keep(_ statement: Statement) {
    if let other = statements[statement.sql] {
      other.isCached = false
    } else if statements.count >= capacity {
      let unused = statements.values.filter { !$0.isInUse }
      if let oldest = unused.min(by: { $0.lastUse < $1.lastUse }) {
        statements[oldest.sql] = nil
        oldest.isCached = false
      }
    }
    statements[statement.sql] = statement
    statement.isCached = true
  }

  func removeAll() { statements.removeAll() }
}
