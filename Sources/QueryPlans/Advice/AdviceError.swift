// SPDX-License-Identifier: Apache-2.0

/// The reason why no advice is possible.
public enum AdviceError: Error, Hashable, Sendable {
  case noStatements
  /// Every statement inserts values, or writes all rows of a table.
  case onlyWrites
  case otherDatabase(SchemaMatch)
  case noSpace(needed: UInt64, free: UInt64, folder: String)
  case nothingMeasured([Unmeasured])

  /// A statement that was not measured, by its id.
  public struct Unmeasured: Hashable, Sendable {
    public var statement: String
    public var reason: String
  }
}

extension AdviceError: CustomStringConvertible {
  /// One sentence: the problem, and the advice.
  public var description: String {
    switch self {
    case .noStatements: "no statement that reads; was the store traced?"
    case .onlyWrites:
      "no statement that an index makes faster: the statements that write insert values, or write all rows of a table, "
        + "and none reads"
    case .otherDatabase(let match):
      match.sentence(database: "this database", reason: match.reason ?? "")
    case .noSpace(let needed, let free, let folder):
      "the copy and its indexes need \(needed >> 20) MiB and '\(folder)' has \(free >> 20) MiB "
        + "free; name a roomier folder with TMPDIR"
    case .nothingMeasured(let statements):
      "no statement can be measured: "
        + statements.prefix(3).map(\.reason).joined(separator: "; ")
    }
  }
}
