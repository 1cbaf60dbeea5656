// SPDX-License-Identifier: Apache-2.0

/// `advise --json`, version 1; times are in nanoseconds.
public struct AdviceV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  public var database: String
  public var sqliteVersion: String
  public var indexesTried: Int
  /// Of all runs of the statements measured, by the shortest time of each.
  public var beforeNs: Double
  public var afterNs: Double
  public var create: [Creation]
  public var drop: [Removal]
  public var statements: [Statement]
  /// The functions and collations that ran as ObjectStore has them.
  public var storeNames: [String]
  public var unmeasured: [Unmeasured]
  public var doubts: [String]

  public struct Creation: Codable, Hashable, Sendable {
    public var table: String
    public var columns: [String]
    /// Null where the database does not tell it.
    public var entity: String?
    public var sql: String
    /// For the entity's `indexes`, properties in the lower case of their columns; null where a
    /// column is of no property.
    public var declaration: String?
    public var savingNs: Double
    public var bytes: UInt64?
    public var writes: Writes?
  }

  public struct Removal: Codable, Hashable, Sendable {
    public var index: String
    public var table: String
    public var sql: String
    /// `unused` or `redundant`.
    public var reason: String
    /// The index that serves what it serves, if it is redundant.
    public var servedBy: String?
    public var bytes: UInt64?
    public var writes: Writes?
  }

  /// Nanoseconds a row, without and with the change.
  public struct Writes: Codable, Hashable, Sendable {
    public var insertBeforeNs: Double
    public var insertAfterNs: Double
    public var updateBeforeNs: Double
    public var updateAfterNs: Double
  }

  public struct Statement: Codable, Hashable, Sendable {
    public var id: String
    public var runs: UInt64
    public var beforeNs: Double
    public var afterNs: Double
  }

  public struct Unmeasured: Codable, Hashable, Sendable {
    public var id: String
    public var reason: String
  }
}
