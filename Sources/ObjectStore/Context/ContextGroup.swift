// SPDX-License-Identifier: Apache-2.0

/// The contexts of one store, and their shared state.
final class ContextGroup: Sendable {
  let store: PersistentStore
  let traits: ObjectTraits
  /// The observers of the saves of those without a parent.
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
