// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The instruments of one store: its counters, and the observers of its events.
///
/// Off means free: ask ``wants(_:)`` before any clock is read or any argument is made.
public final class Instruments: Sendable {
  /// Counted always; readable at any moment.
  public let counters = Counters()
  let observers: [any StoreObserver]

  /// - Parameter observers: in the order in which they are told.
  public init(observers: [any StoreObserver]) { self.observers = observers }

  /// What any observer wants right now.
  public var interests: Interests {
    observers.reduce(into: []) { $0.formUnion($1.interests) }
  }

  /// Whether any observer wants this right now.
  public func wants(_ interest: Interests) -> Bool { interests.contains(interest) }

  /// Tells every observer that wants events; the event is made only then, and once.
  public func emit(_ event: @autoclosure () -> StoreEvent, contextID: UInt64) {
    guard wants(.events) else { return }
    let event = event()
    if event.kind != .statement { counters.countEvent() }
    for observer in observers where observer.interests.contains(.events) {
      observer.record(event, contextID: contextID)
    }
  }

  public func willRun(
    sql: String, bindings: @autoclosure () -> [BoundValue], contextID: UInt64
  ) {
    for observer in observers where observer.interests.contains(.sql) {
      observer.willRun(
        sql: sql, bindings: observer.interests.contains(.bindings) ? bindings() : [],
        contextID: contextID)
    }
  }

  public func didReturn(
    _ objectURIs: @autoclosure () -> [String], entity: String, sql: String, contextID: UInt64
  ) {
    for observer in observers where observer.interests.contains(.rows) {
      observer.didReturn(objectURIs(), entity: entity, sql: sql, contextID: contextID)
    }
  }

  public func didExplain(sql: String, plan: @autoclosure () -> [PlanLine], contextID: UInt64) {
    for observer in observers where observer.interests.contains(.plans) {
      observer.didExplain(sql: sql, plan: plan(), contextID: contextID)
    }
  }

  public func annotate(_ remark: @autoclosure () -> String, contextID: UInt64) {
    for observer in observers where observer.interests.contains(.sql) {
      observer.annotate(remark(), contextID: contextID)
    }
  }
}
