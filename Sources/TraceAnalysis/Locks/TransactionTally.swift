// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The transactions of one line that changed rows.
public struct TransactionSite: Hashable, Sendable, Codable {
  /// The statement with which they began to write, its line, and the number of transactions.
  public var site: LockSite
  /// Rows that they inserted, updated or deleted.
  public var rows: UInt64
  /// The time of their COMMITs; that of the statement outside of a transaction.
  public var commitTime: Nanoseconds
  /// The most transactions of a few rows in a row on one connection, between which no other line wrote.
  ///
  /// 0 outside of transactions, and on temporary databases.
  public var longestSequence: UInt64
  /// Statements that wrote in them, where the log has no rows; nil otherwise.
  public var writes: UInt64?

  /// Whether there are as many of them as a loop makes.
  public var isFrequent: Bool { site.count >= GroupWrites.minTransactions }

  mutating func add(_ other: Self) {
    site.count.add(other.site.count)
    rows.add(other.rows)
    commitTime.add(other.commitTime)
    longestSequence = max(longestSequence, other.longestSequence)
    if let more = other.writes { writes.add(more) }
  }
}

/// Counts transactions by the line that began to write.
struct TransactionTally {
  typealias Key = ProfileBuilder.Key
  // Arbitrary, as in `Bounds`.
  private static let maxSites = 1000
  private static let maxConnections = 4096

  private var sites: [LockSite.Key: TransactionSite] = [:]
  /// By connection: the line that wrote last, and the number of its consecutive transactions.
  private var sequences: [Key: (line: LockSite.Key, count: UInt64)] = [:]

  /// - Parameters:
  ///   - writer: the statement with which the transaction began to write.
  ///   - form: the hash of its form, since the values may be in its text.
  mutating func add(
    _ writer: LockSite, form: UInt64, rows: UInt64, writes: UInt64? = nil, commitTime: Nanoseconds,
    isExplicit: Bool, inFile: Bool, on connection: Key
  ) {
    let key = Self.line(of: writer, form)
    var length: UInt64 = 0
    if isExplicit, inFile, Double(writes ?? rows) <= AvoidSyncForFewRows.maxRows {
      let last = sequences[connection]
      length = last?.line == key ? (last?.count ?? 0) + 1 : 1
    }
    if sequences.count < Self.maxConnections || sequences[connection] != nil {
      sequences[connection] = (key, length)
    }
    guard sites.count < Self.maxSites || sites[key] != nil else { return }
    let site = TransactionSite(
      site: LockSite(writer, count: 1), rows: rows, commitTime: commitTime,
      longestSequence: length, writes: writes)
    sites[key]?.add(site)
    if sites[key] == nil { sites[key] = site }
  }

  /// A line, or the statement's form where its line is not known.
  private static func line(of site: LockSite, _ form: UInt64) -> LockSite.Key {
    LockSite.Key(
      statement: StatementID(rawValue: site.location == .unknown ? form : 0),
      location: site.location)
  }

  var finished: [TransactionSite]? { sites.isEmpty ? nil : Array(sites.values).ordered }
}

extension [TransactionSite] {
  /// Most time in COMMIT first.
  var ordered: Self { sorted(by: \.commitTime, then: \.site.sortKey) }
}
