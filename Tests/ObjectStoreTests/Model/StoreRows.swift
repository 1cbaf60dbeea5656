// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// Rows of a file, by a connection of its own: columns joined by `|`.
struct StoreRows {
  private let connection: Connection

  init(_ url: URL) throws { connection = try Connection(path: url.path, mode: .readOnly) }

  func callAsFunction(_ sql: String) throws -> [String] {
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount)
          .map { statement.isNull($0) ? "NULL" : statement.string($0) }
          .joined(separator: "|"))
    }
    return rows
  }
}
