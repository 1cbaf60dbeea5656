// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents

/// Opens the user's database for a command.
enum ReportedDatabase {
  /// - Throws: ``Failure``, with one sentence.
  static func open(_ path: String) throws -> InspectedDatabase {
    do {
      return try InspectedDatabase(path: path)
    } catch {
      throw Failure(LogText.escaped("\(error)"))
    }
  }
}
