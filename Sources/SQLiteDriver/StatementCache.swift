// SPDX-License-Identifier: Apache-2.0

/// The prepared statements of a connection, by their SQL; those in use keep their entries, so that
/// a statement is hashed once when it is acquired and not again when it comes back.
///
/// The one longest unused goes first when the cache is full.
final class StatementCache {
  // Unchecked: the connection's thread uses them, each statement.
  @exclusivity(unchecked) private var statements: [String: Statement] = [:]
  /// Kept statements that were acquired lately: to compare a few costs less than a hash of the SQL.
  @exclusivity(unchecked) private var recent: [Statement] = []
  /// The index in `recent` that is replaced next.
  private var oldest = 0
  @exclusivity(unchecked) private var clock: UInt64 = 0
  private let capacity: Int

  // 8 is arbitrary: a save of one object takes turns with five.
  private static let maxRecent = 8

  init(capacity: Int) { self.capacity = capacity }

  /// A statement that is not in use.
  func acquire(_ sql: String) -> Statement? {
    let length = sql.utf8.count
    for statement in recent
    where !statement.isInUse && statement.sql.utf8.count == length && statement.sql == sql {
      statement.isInUse = true
      return statement
    }
    guard let statement = statements[sql], !statement.isInUse else { return nil }
    statement.isInUse = true
    recordRecent(statement)
    return statement
  }

  private func recordRecent(_ statement: Statement) {
    if recent.count < Self.maxRecent { return recent.append(statement) }
    recent[oldest] = statement
    oldest = (oldest + 1) % Self.maxRecent
  }

  private func removeRecent(_ statement: Statement) {
    recent.removeAll { $0 === statement }
    oldest = 0
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
      removeRecent(other)
    } else if statements.count >= capacity {
      let unused = statements.values.filter { !$0.isInUse }
      if let oldest = unused.min(by: { $0.lastUse < $1.lastUse }) {
        statements[oldest.sql] = nil
        oldest.isCached = false
        removeRecent(oldest)
      }
    }
    statements[statement.sql] = statement
    statement.isCached = true
  }

  func removeAll() {
    statements.removeAll()
    recent.removeAll()
    oldest = 0
  }
}
