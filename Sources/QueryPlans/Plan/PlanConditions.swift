// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The difference between the runs of a trace and the database and the SQLite that make plans here.
public struct PlanConditions: Sendable {
  /// The version of SQLite that ran the statements; nil where it is not known.
  public var sqliteVersion: String?
  /// Whether the schema may have been changed after the trace, so that a counted scan may be gone.
  ///
  /// Another file with the same SQL, another setting, a function of the program and an index that was made later in
  /// the same run all make a plan without a scan that the program did not have.
  public var mayHaveChanged = true
  /// Whether the file is one that the program had, and was not written since: few counted steps contradict no plan.
  public var isAsTraced = false
  /// Whether the program had the file, and dropped or altered its tables: statements before that do not compile here.
  public var changesTables = false
  /// Returns the path of another database, where a statement ran only there.
  public var otherDatabase: @Sendable (String) -> String? = { _ in nil }
  /// The paths of the database in the trace; nil if it has none of it.
  public var ownDatabases: Set<String>?
  /// Whether the file of a path is another one than the program opened, or gone.
  public var isReplaced: @Sendable (String) -> Bool = { _ in false }
  /// Whether the program has set `PRAGMA case_sensitive_like`.
  public var likeIsCaseSensitive = false
  /// The databases that the program attached, by their names.
  public var attached: [String: String] = [:]

  /// The statements that create the program's temporary tables, without rows.
  public var temporaryTables: [String] = []
  /// The updates of known columns: an index on one of these is written each time.
  public var updates: @Sendable () -> [WorkloadWrite] = { [] }

  /// The program's tables that its main database does not have, in lower case, with what they are.
  public var otherTables: [String: String] {
    var tables: [String: String] = [:]
    for (name, path) in attached {
      guard let file = try? InspectedDatabase(path: path) else { continue }
      let own = "a table of the attached database '\(name)': pass '\(path)' with --database"
      for table in (try? SchemaObject.all(of: file.connection).filter(\.isTable)) ?? [] {
        tables[table.name.lowercased()] = own
        tables["\(name).\(table.name)".lowercased()] = own
      }
    }
    for table in temporaryTables.compactMap(TemporaryTable.created) {
      tables[table] = "a temporary table, which the database does not have"
      tables["temp.\(table)"] = tables[table]
    }
    return tables
  }

  public init(sqliteVersion: String? = nil, mayHaveChanged: Bool = true) {
    self.sqliteVersion = sqliteVersion
    self.mayHaveChanged = mayHaveChanged
  }
}

/// The work that explaining statements may take: VM steps and copied bytes, since no clock decides a report.
///
/// Explainers that share one spend it together.
public final class PlanBudget {
  /// The bytes of databases that may still be copied.
  var copiedBytes: Int64
  /// The VM steps that runs of statements may still take.
  var steps: Int
  /// The statements that may be explained.
  public let statements: Int
  /// Whether something was left out.
  public internal(set) var isExhausted = false

  init(copiedBytes: Int64, steps: Int, statements: Int = .max) {
    (self.copiedBytes, self.steps, self.statements) = (copiedBytes, steps, statements)
  }

  /// The budget of a command for which a database was named: 64 MB are copied in a tenth of a second, and ten
  /// million VM steps scan a table of a million rows, in a fifth of a second.
  static var ofCommand: PlanBudget { PlanBudget(copiedBytes: 256_000_000, steps: 600_000_000) }

  /// Nothing is copied or run.
  static var none: PlanBudget { PlanBudget(copiedBytes: 0, steps: 0) }

  /// The budget of a report that opens databases that no option names: some two seconds on an ordinary machine.
  public static var ofReport: PlanBudget {
    PlanBudget(copiedBytes: 128_000_000, steps: 200_000_000, statements: 500)
  }
}
