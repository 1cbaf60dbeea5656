// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
public import StoreInstruments
import Synchronization

/// Keeps all events that a store reports to its instruments.
public final class RecordingObserver: StoreObserver {
  private let state = Mutex(State())
  public let interests: Interests

  private struct State {
    var events: [StoreEvent] = []
    var sql: [String] = []
    var bindings: [[BoundValue]] = []
    var plans: [String: [PlanLine]] = [:]
    var remarks: [String] = []
    var warnings: [String] = []
  }

  public init(interests: Interests = [.events, .sql, .bindings, .rows, .plans]) {
    self.interests = interests
  }

  public var events: [StoreEvent] { state.withLock { $0.events } }
  /// Statements in the order in which they ran.
  public var sql: [String] { state.withLock { $0.sql } }
  public var bindings: [[BoundValue]] { state.withLock { $0.bindings } }
  public var plans: [String: [PlanLine]] { state.withLock { $0.plans } }
  public var remarks: [String] { state.withLock { $0.remarks } }
  public var warnings: [String] { state.withLock { $0.warnings } }

  public func removeAll() { state.withLock { $0 = State() } }

  public func record(_ event: StoreEvent, contextID: UInt64) {
    state.withLock { $0.events.append(event) }
  }
  public func willRun(sql: String, bindings: [BoundValue], contextID: UInt64) {
    state.withLock {
      $0.sql.append(sql)
      $0.bindings.append(bindings)
    }
  }
  public func didReturn(
    _ objectURIs: [String], entity: String, sql: String, contextID: UInt64
  ) {}
  public func didExplain(sql: String, plan: [PlanLine], contextID: UInt64) {
    state.withLock { $0.plans[sql] = plan }
  }
  public func annotate(_ remark: String, contextID: UInt64) {
    state.withLock { $0.remarks.append(remark) }
  }
  public func warn(_ remark: String, contextID: UInt64) {
    state.withLock { $0.warnings.append(remark) }
  }
}
