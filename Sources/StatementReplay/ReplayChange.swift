// SPDX-License-Identifier: Apache-2.0

/// What is different in the second replay.
public struct ReplayChange: Sendable {
  /// Statements that run on each copy before the program's own, such as `CREATE INDEX`.
  public var statements: [String] = []
  /// Settings of each connection; the program's own settings of the same name are left out.
  public var pragmas: [(name: String, value: String)] = []
  public var analyze = Analyze.none
  public var library = SQLiteLibrary.own
  /// Whether the replay waits as long between statements as the program did.
  public var keepsPauses = false

  /// Which statistics the copies get.
  public enum Analyze: String, CaseIterable, Sendable { case none, optimize, full }

  public init() {}

  func sets(_ pragma: String) -> Bool { pragmas.contains { $0.name.lowercased() == pragma } }

  /// Statements, in the order in which they run on a copy.
  var preparations: [String] {
    let vacuum = ["page_size", "auto_vacuum"].contains { sets($0) } ? ["VACUUM"] : []
    let statistics: [String] =
      switch analyze {
      case .none: []
      // 0x10002: of all tables, not only of those that this connection has queried.
      case .optimize: ["PRAGMA optimize = 0x10002"]
      case .full: ["ANALYZE"]
      }
    return settings + vacuum + statements + statistics
  }

  var settings: [String] { pragmas.map { "PRAGMA \($0.name) = \($0.value)" } }
}
