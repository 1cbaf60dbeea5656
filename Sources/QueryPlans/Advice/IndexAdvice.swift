// SPDX-License-Identifier: Apache-2.0

/// Indexes worth having and indexes not worth keeping, each tried on a copy of the database.
public struct IndexAdvice: Sendable {
  /// A statement, timed before and after.
  public struct Effect: Hashable, Sendable {
    public var statement: String
    public var runs: UInt64
    /// The shortest time of a run, in nanoseconds.
    public var before: Double
    public var after: Double
  }

  /// An index to make.
  public struct Creation: Sendable {
    public var candidate: IndexCandidate
    /// The entity behind the table, where the database tells it.
    public var entity: String?
    /// Nanoseconds that the whole workload loses without it, the others being there.
    public var saving: Double
    public var bytes: UInt64?
    /// Before and after; nil where the table's rows cannot be copied.
    public var writeBefore: WriteCost?
    public var writeAfter: WriteCost?
  }

  /// An index to drop.
  public struct Removal: Sendable {
    public enum Reason: Hashable, Sendable {
      case unused
      /// It is the first part of the other one, or the same.
      case redundant(String)
    }

    public var index: DatabaseIndex
    public var reason: Reason
    public var writeBefore: WriteCost?
    public var writeAfter: WriteCost?
  }

  public internal(set) var creations: [Creation] = []
  public internal(set) var removals: [Removal] = []
  /// Every statement that was measured.
  public internal(set) var effects: [Effect] = []
  /// Why a statement was not measured, by its id.
  public internal(set) var unmeasured: [(statement: String, reason: String)] = []
  /// The functions and collations of a store that the statements use: they ran as ObjectStore has
  /// them.
  public internal(set) var storeNames: [String] = []
  /// How many indexes were tried.
  public internal(set) var tried = 0
  /// Whether the search ended early: a better set may exist, or less to drop or to write.
  public internal(set) var wasCancelled = false

  /// Nanoseconds of all runs.
  public var before: Double { effects.reduce(0) { $0 + $1.before * Double($1.runs) } }
  public var after: Double { effects.reduce(0) { $0 + $1.after * Double($1.runs) } }
}
