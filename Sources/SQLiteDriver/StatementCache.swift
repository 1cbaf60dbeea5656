// SPDX-License-Identifier: Apache-2.0

/// The prepared statements that a connection is not using right now, by their SQL.
///
/// The one longest unused goes first when the cache is full.
final class StatementCache {
  private var statements: [String: (statement: Statement, lastUse: UInt64)] = [:]
  private var clock: UInt64 = 0
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  func take(_ sql: String) -> Statement? {
    statements.removeValue(forKey: sql)?.statement
  }

  /// Keeps a statement; of two with the same SQL, the one given last.
  func give(_ statement: Statement) {
    guard capacity > 0 else { return }
    clock += 1
    if statements.count >= capacity, statements[statement.sql] == nil,
      let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      statements[oldest.key] = nil
    }
    statements[statement.sql] = (statement, clock)
  }

  func removeAll() { statements.removeAll() }
}
