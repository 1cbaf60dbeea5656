// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import StoreInstruments
import Synchronization

/// The duration of a fetch, read from the debug log.
public struct FetchTime: Hashable, Sendable {
  /// In SQLite.
  public let connection: Duration
  /// Until the objects were there.
  public let total: Duration
  /// The number of objects.
  public let rows: Int
}

/// Stores the time of the last fetch.
final class FetchTimer: StoreObserver {
  private let last = Mutex<FetchTime?>(nil)

  var interests: Interests { .events }

  func takeLast() -> FetchTime? {
    last.withLock { last in
      defer { last = nil }
      return last
    }
  }

  func record(_ event: StoreEvent, contextID: UInt64) {
    guard case .fetchEnd(let end) = event else { return }
    let time = FetchTime(
      connection: .nanoseconds(end.connectionTime), total: .nanoseconds(end.totalTime),
      rows: Int(end.rows))
    last.withLock { $0 = time }
  }

  func willRun(sql: String, bindings: [BoundValue], contextID: UInt64) {}
  func didReturn(_ objectURIs: [String], entity: String, sql: String, contextID: UInt64) {}
  func didExplain(sql: String, plan: [PlanLine], contextID: UInt64) {}
  func annotate(_ remark: String, contextID: UInt64) {}
  func warn(_ warning: String, contextID: UInt64) {}
}
