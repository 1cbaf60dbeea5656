// SPDX-License-Identifier: Apache-2.0

/// `orderings --json`, version 1.
public struct OrderingsV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  public var database: String
  public var sqliteVersion: String
  public var sql: String
  public var terms: [Term]
  /// The values of the first measured run, in the syntax of `--bind`.
  public var values: [String]
  public var valuesAreSampled: Bool
  /// `none`, `given`, `recorded`, `fitted` or `fittedSteps`: where they come from.
  public var valuesSource: String
  /// Runs with different values that each order was measured with.
  public var runs: Int
  /// Sampled for each table `_Z_intarrayN` of Core Data.
  public var keys: [Keys]
  /// The functions and collations that ran as ObjectStore has them.
  public var storeNames: [String]
  public var rows: UInt64
  public var comparedWithoutLimit: Bool
  public var rounds: Int
  /// Whether a signal ended the rounds.
  public var wasInterrupted: Bool
  public var minimumEffect: Double
  /// `faster`, `writtenIsFastest`, `noDifference` or `inconclusive`.
  public var verdict: String
  /// `indexServed`, `deferred` or `residual`.
  public var explanation: String
  public var sentence: String
  /// With `--suggest`, the format string in the better order, or in the original one if none is
  /// better.
  public var suggestion: String?
  /// The order to write, where it is faster than the one as written.
  public var fastest: Order?
  public var orders: [Order]

  public struct Term: Codable, Hashable, Sendable {
    public var sql: String
    /// `indexServed`, `deferred` or `residual`.
    public var role: String
  }

  public struct Keys: Codable, Hashable, Sendable {
    public var table: String
    public var keys: [Int64]
  }

  public struct Order: Codable, Hashable, Sendable {
    /// Numbers of the terms as written, from 1.
    public var terms: [Int]
    public var sql: String
    /// Null where the order was not timed, since its steps show that it does not matter.
    public var medianNs: Double?
    /// Times the written order's, with its 95% interval; null without rounds enough.
    public var ratio: Double?
    public var ratioLow: Double?
    public var ratioHigh: Double?
    /// Null where it failed, or was stopped since it takes far more than another order.
    public var vmSteps: UInt64?
    /// The reason why it was left out; null if it was not.
    public var failure: String?
  }
}
