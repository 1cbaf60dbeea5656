// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// An observer of a store's events; the debug log and the tracepoints are built in.
///
/// Called on the thread that does the work, between the clock reads of what is measured.
public protocol StoreObserver: AnyObject, Sendable {
  /// The events to report now; no others are created.
  var interests: Interests { get }

  /// Takes one event.
  func record(_ event: StoreEvent, contextID: UInt64)

  /// A statement is about to run (`interests.sql`); `bindings` is empty unless they are wanted.
  func willRun(sql: String, bindings: [BoundValue], contextID: UInt64)

  /// A fetch returned these objects, as URIs (`interests.rows`).
  func didReturn(_ objectURIs: [String], entity: String, sql: String, contextID: UInt64)

  /// A statement ran for the first time in this store; its plan (`interests.plans`).
  func didExplain(sql: String, plan: [PlanLine], contextID: UInt64)

  /// A remark in Core Data's words, such as `Prefetching with key 'stopTimes'.  Got 15 rows.`
  func annotate(_ remark: String, contextID: UInt64)

  /// A warning, such as of a batched fetch that was loaded whole.
  func warn(_ remark: String, contextID: UInt64)
}

/// What an observer wants to receive.
public struct Interests: OptionSet, Sendable {
  public let rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  // Computed: reading a stored one of another module is a call each time.
  @inlinable public static var events: Interests { Interests(rawValue: 1) }
  @inlinable public static var sql: Interests { Interests(rawValue: 2) }
  @inlinable public static var bindings: Interests { Interests(rawValue: 4) }
  @inlinable public static var rows: Interests { Interests(rawValue: 8) }
  @inlinable public static var plans: Interests { Interests(rawValue: 16) }
}

/// A value bound to a statement, for observers that requested it.
public enum BoundValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// Seconds since 2001-01-01 00:00 UTC.
  case timestamp(Double)
  /// The first bytes of a blob, and its whole length in bytes.
  case blob(prefix: [UInt8], count: Int)
}

/// One row of a query plan, as the level-4 log prints it.
public struct PlanLine: Hashable, Sendable {
  public var id: Int64
  public var parent: Int64
  public var detail: String
  public var isTableScan: Bool

  public init(id: Int64, parent: Int64, detail: String, isTableScan: Bool) {
    self.id = id
    self.parent = parent
    self.detail = detail
    self.isTableScan = isTableScan
  }
}
