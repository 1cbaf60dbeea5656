// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The observers of the saves to a store, or to a parent context.
final class SaveObservers: Sendable {
  private struct Observer {
    weak var context: ManagedObjectContext?
  }

  private let observers = Mutex<[Observer]>([])
  let notices = Broadcaster<ContextChanges>()

  /// Whether a save has observers other than its own context.
  var isEmpty: Bool { observers.withLock { $0.isEmpty } && !notices.hasListeners }

  var contexts: [ManagedObjectContext] { observers.withLock { $0.compactMap(\.context) } }

  func add(_ context: ManagedObjectContext) {
    observers.withLock { observers in
      observers.removeAll { $0.context == nil }
      observers.append(Observer(context: context))
    }
  }

  func remove(_ context: ManagedObjectContext) {
    observers.withLock { $0.removeAll { $0.context == nil || $0.context === context } }
  }

  /// Makes each context merge the changes, on its own queue.
  func notify(_ changes: ContextChanges) {
    let contexts = observers.withLock { observers in
      observers.removeAll { $0.context == nil }
      return observers.compactMap(\.context)
    }
    for context in contexts where context.contextID != changes.contextID {
      context.queue.async { context.mergeChanges(from: changes) }
    }
    notices.send(changes)
  }
}

/// The contexts of one store, and their shared state.
final class ContextGroup: Sendable {
  let store: PersistentStore
  let traits: ObjectTraits
  /// The observers of saves by contexts without a parent.
  let saveObservers = SaveObservers()

  init(_ store: PersistentStore) {
    self.store = store
    traits = ObjectTraits(store.model)
  }

  func makeContext(
    _ type: ManagedObjectContext.ConcurrencyType, name: String = ""
  ) -> ManagedObjectContext {
    ManagedObjectContext(in: self, concurrencyType: type, name: name)
  }
}
