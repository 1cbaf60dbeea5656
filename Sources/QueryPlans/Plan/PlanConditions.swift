// SPDX-License-Identifier: Apache-2.0

/// The difference between the runs of a trace and the database and the SQLite that make plans here.
public struct PlanConditions: Sendable {
  /// The version of SQLite that ran the statements; nil where it is not known.
  public var sqliteVersion: String?
  /// Whether the schema may have been changed after the trace, so that a counted scan may be gone.
  ///
  /// Another file with the same SQL, another setting, a function of the program and an index that was made later in
  /// the same run all make a plan without a scan that the program did not have.
  public var mayHaveChanged = true
  /// Returns the path of another database, where a statement ran only there.
  public var otherDatabase: @Sendable (String) -> String? = { _ in nil }
  /// Whether the file of a path is another one than the program opened, or gone.
  public var isReplaced: @Sendable (String) -> Bool = { _ in false }
  /// The databases that the program attached, by their names.
  public var attached: [String: String] = [:]

  public init(sqliteVersion: String? = nil, mayHaveChanged: Bool = true) {
    self.sqliteVersion = sqliteVersion
    self.mayHaveChanged = mayHaveChanged
  }
}
