// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The failures of one statement at one line with one error.
public struct FailureSite: Hashable, Sendable, Codable {
  /// The statement, its line, and the number of failures.
  public var site: LockSite
  /// SQLite's code and text: `SQLITE_LOCKED: database table is locked`.
  public var error: String
  /// When it failed first; nil in reports of versions without it.
  public var first: Nanoseconds?
  /// Earlier operations on the file, the last first; nil if there are none, or it is not a failure
  /// of the file.
  public var causes: [FailureCause]?
  /// A statement that was open when it failed, if that is the reason.
  public var obstacle: LockSite?
  /// True for a database in memory or a temporary one; nil otherwise.
  public var isInMemory: Bool?
  /// The statement that began the transaction in which a BEGIN failed; nil for other errors.
  public var transaction: LockSite?
  /// Whether the open statement is of another connection, which shares the cache.
  public var sharesCache = false

  /// Whether it is a BEGIN within a transaction.
  var isNestedBegin: Bool {
    error.contains("cannot start a transaction within a transaction")
  }

  /// Whether SQLite failed it for the lock of another connection.
  var isBusy: Bool { error.hasPrefix("SQLITE_BUSY") }

  struct Key: Hashable {
    var site: LockSite.Key
    var error: String
  }

  /// Lists of different lengths fail with the same error: `SQLITE_ERROR: too many SQL variables (260000, limit 250000)`.
  var key: Key {
    Key(site: site.key, error: String(error.split(separator: " (", maxSplits: 1).first ?? ""))
  }

  mutating func add(_ other: Self) {
    site.count.add(other.site.count)
    if other.causes != nil, causes == nil || other.first ?? .max < first ?? .max {
      causes = other.causes
    }
    first = [first, other.first].compactMap { $0 }.min()
    if other.isInMemory != true { isInMemory = nil }
    if transaction == nil { transaction = other.transaction }
    if obstacle == nil { (obstacle, sharesCache) = (other.obstacle, other.sharesCache) }
  }
}

/// A line's operation on a database file before a statement failed.
public struct FailureCause: Hashable, Sendable, Codable {
  /// `opened and closed the database file`.
  public var action: String
  /// The program.
  public var process: String
  /// The line.
  public var location: SourceLocation
  /// The time until the failure.
  public var before: Nanoseconds
}

extension FailureSite {
  static func isFromFile(_ error: String) -> Bool {
    !error.isEmpty
      && ["SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR", "SQLITE_READONLY"].contains {
        error.hasPrefix($0)
      }
  }
}

/// Counts failures, and finds the statements that were open when they happened.
///
///     connection   SELECT ── step ──────────────────── reset        an event when it ends
///                             DROP TABLE: SQLITE_LOCKED ┘           the obstacle: open since before
struct FailureTally {
  typealias Key = ProfileBuilder.Key
  // Arbitrary, as in `Bounds`.
  private static let maxSites = 1000
  private static let maxWaiting = 64

  private typealias SiteKey = FailureSite.Key

  private var sites: [SiteKey: FailureSite] = [:]
  /// By process: the last failures for which an open statement may be the reason.
  private var waiting: [Int: [(site: SiteKey, connection: Key, time: Nanoseconds)]] = [:]

  /// - Parameters:
  ///   - writer: the statement with which another connection of the process began the transaction that is open.
  ///   - first: the first statement of the connection's own transaction that is open.
  mutating func add(
    _ run: StatementRun, _ site: LockSite, on connection: Key, isInMemory: Bool, writer: LockSite?,
    first: LockSite?, at time: Nanoseconds
  ) {
    resolve(run, site, on: connection, at: time)
    guard !run.error.isEmpty else { return }
    var failure = FailureSite(site: LockSite(site, count: 0), error: run.error)
    let key = failure.key
    guard sites.count < Self.maxSites || sites[key] != nil else { return }
    failure.isInMemory = isInMemory ? true : nil
    if failure.isNestedBegin, let first, first.isTransactionControl { failure.transaction = first }
    var counted = failure
    counted.site.count = 1
    counted.first = time
    sites[key, default: failure].add(counted)
    guard Self.mayHaveObstacle(run.error) else { return }
    if run.error.hasPrefix("SQLITE_LOCKED"), let writer {
      sites[key]?.obstacle = writer
      sites[key]?.sharesCache = true
    }
    guard sites[key]?.obstacle == nil else { return }
    waiting[connection.process, default: []].append((key, connection, time))
    if waiting[connection.process]?.count ?? 0 > Self.maxWaiting {
      waiting[connection.process]?.removeFirst()
    }
  }

  /// The failures that happened while a statement was open, which ends now.
  private mutating func resolve(
    _ run: StatementRun, _ site: LockSite, on connection: Key, at time: Nanoseconds
  ) {
    guard let failures = waiting[connection.process], !failures.isEmpty, run.error.isEmpty,
      !site.isTransactionControl
    else { return }
    let start = time &- max(run.openTime, 0)
    for failure in failures where start < failure.time && sites[failure.site]?.obstacle == nil {
      let isOwn = failure.connection == connection
      guard isOwn || failure.site.error.hasPrefix("SQLITE_LOCKED") else { continue }
      sites[failure.site]?.obstacle = site
      sites[failure.site]?.sharesCache = !isOwn
    }
    waiting[connection.process]?.removeAll { sites[$0.site]?.obstacle != nil }
  }

  /// Keeps the operations on the file before the first failure.
  mutating func setCauses(
    of run: StatementRun, _ site: LockSite, to touches: [(touch: FileTouch, time: Nanoseconds)],
    at time: Nanoseconds
  ) {
    let key = FailureSite(site: site, error: run.error).key
    guard !touches.isEmpty, let failure = sites[key], failure.first == time else { return }
    sites[key]?.causes = touches.map {
      FailureCause(
        action: $0.touch.action, process: $0.touch.process, location: $0.touch.location,
        before: time &- $0.time)
    }
  }

  private static func mayHaveObstacle(_ error: String) -> Bool {
    error.hasPrefix("SQLITE_BUSY") || error.hasPrefix("SQLITE_LOCKED")
      || error.contains("in progress")
  }

  var finished: [FailureSite]? { sites.isEmpty ? nil : Array(sites.values).ordered }
}

extension [FailureSite] {
  /// Most failures first.
  var ordered: Self {
    sorted(by: { Int64(clamping: $0.site.count) }, then: { "\($0.site.sortKey) \($0.error)" })
  }
}

extension LockProfile {
  /// The sites that failed while a statement of their own connection was open.
  var obstructed: Set<LockSite.Key> {
    Set((failures ?? []).filter { $0.obstacle != nil }.map(\.site.key))
  }
}
