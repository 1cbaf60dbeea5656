// SPDX-License-Identifier: Apache-2.0

import CStoreTracepoints
public import StoreEvents

/// Writes each event as an LTTng-UST tracepoint of the provider `objectstore`.
///
/// Nothing is wanted while no session has an event of the provider enabled.
public final class Tracepoints: StoreObserver {
  public init() {}

  public var interests: Interests { TraceSessions.interests }

  public func record(_ event: StoreEvent, contextID: UInt64) {
    switch event {
    case .storeOpened(let event): record(event, contextID)
    case .contextCreated(let event): record(event, contextID)
    case .statement(let event): record(event, contextID)
    case .values(let event): record(event, contextID)
    case .fetchBegin(let event): record(event, contextID)
    case .fetchEnd(let event): record(event, contextID)
    case .fault(let event): record(event, contextID)
    case .cacheMiss(let event): record(event, contextID)
    case .saveBegin(let event): record(event, contextID)
    case .saveEnd(let event): record(event, contextID)
    case .transaction(let event): record(event, contextID)
    case .checkpoint(let event): record(event, contextID)
    case .busy(let event): record(event, contextID)
    case .counters(let event): record(event, contextID)
    case .statementIO(let event): record(event, contextID)
    case .commitIO(let event): record(event, contextID)
    // Emitted by the probe's provider, never by the store.
    case .connectionOpened, .connectionClosed, .copyNotObserved, .caller, .statementRun: break
    }
  }

  // A trace holds events; the other calls are for the log.
  public func willRun(sql: String, bindings: [BoundValue], contextID: UInt64) {}
  public func didReturn(_ objectURIs: [String], entity: String, sql: String, contextID: UInt64) {}
  public func didExplain(sql: String, plan: [PlanLine], contextID: UInt64) {}
  public func annotate(_ remark: String, contextID: UInt64) {}
  public func warn(_ remark: String, contextID: UInt64) {}
}

/// The sessions that record the provider, in whichever program they were made.
@usableFromInline
enum TraceSessions {
  // Not in the class: a static member of a class reads the class's metadata first.

  /// What any of them wants right now.
  @usableFromInline static var interests: Interests {
    CStoreTracepoints_any_enabled() ? .events : []
  }
}
