// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceAnalysis

/// Opens the user's database for a command.
enum ReportedDatabase {
  /// The database in which a program spent most time, where it is still the file that it opened.
  static func opened(by profile: Profile) -> String? {
    profile.openedDatabases.first { $0.isStillThere }?.path
  }

  /// Opens a database, or unpacks a capsule.
  ///
  /// - Throws: ``Failure``, with one sentence.
  static func open(_ path: String) throws -> InspectedDatabase {
    if let capsule = try CapsuleOption.capsule(at: path) {
      return try CapsuleOption.reporting(path) { () throws(CapsuleError) in try capsule.open() }
    }
    return try InspectedDatabase(path: path)
  }
}
