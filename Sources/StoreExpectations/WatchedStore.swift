// SPDX-License-Identifier: Apache-2.0

public import ObjectStore
package import StoreInstruments

/// The subject of an expectation: a container with all of its contexts, or one context.
public protocol WatchedStore {
  /// The store's instruments.
  var watchedInstruments: WatchedInstruments { get }
}

/// Where to watch a store, and whom of its contexts.
public struct WatchedInstruments {
  package let instruments: Instruments
  /// Nil for all.
  package let contextID: UInt64?
}

extension PersistentContainer: WatchedStore {
  public var watchedInstruments: WatchedInstruments {
    WatchedInstruments(instruments: instruments, contextID: nil)
  }
}

extension ManagedObjectContext: WatchedStore {
  public var watchedInstruments: WatchedInstruments {
    WatchedInstruments(instruments: instruments, contextID: contextID)
  }
}
