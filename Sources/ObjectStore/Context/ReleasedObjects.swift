// SPDX-License-Identifier: Apache-2.0

import CSwiftRuntime
import Synchronization

/// Objects that ended off their context's queue, which the queue is to take out of the registers.
///
/// Until then the registers have their addresses, so their memory must stay allocated. Both the
/// registers and the context retain it; the context may be deallocated on another thread at the
/// same time.
final class ReleasedObjects: Sendable {
  private struct State: @unchecked Sendable {
    /// Nil once the context has left its objects.
    var context: Unmanaged<ManagedObjectContext>?
    var entries: [Entry] = []
  }

  private let state = Mutex(State())

  struct Entry: @unchecked Sendable {
    let register: ObjectRegister
    let listIndex: UInt32
    let primaryKey: Int64
    let address: UnsafeMutableRawPointer
    // Retains the memory of an object, which is not accessed again.
    private unowned let memory: AnyManagedObject

    init(_ object: AnyManagedObject, in register: ObjectRegister) {
      self.register = register
      listIndex = object.listIndex
      primaryKey = object.primaryKey
      address = Unmanaged.passUnretained(object).toOpaque()
      memory = object
    }
  }

  func contextDidBegin(_ context: ManagedObjectContext) {
    state.withLock { $0.context = .passUnretained(context) }
  }

  /// - Returns: false once the context has released its objects: this one is not looked up any
  ///   longer.
  func add(_ object: AnyManagedObject, in register: ObjectRegister) -> Bool {
    let entry = Entry(object, in: register)
    let (isTaken, context) = state.withLock { state -> (Bool, ManagedObjectContext?) in
      guard let context = state.context else { return (false, nil) }
      state.entries.append(entry)
      // Within the lock, which the context needs before it is deallocated, so its memory is valid.
      return (true, state.entries.count == 1 ? context.retainIfAlive() : nil)
    }
    // Outside the lock: this reference may be the last by now, and end the context here.
    context?.unregisterEndedLater()
    return isTaken
  }

  func drain() -> [Entry] {
    state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
  }

  /// Accepts no more objects: the registers have released the context's objects.
  func contextDidEnd() -> [Entry] {
    state.withLock { state in
      defer { state = State() }
      return state.entries
    }
  }
}

extension Unmanaged {
  /// The instance, unless its last reference is just going on another thread.
  ///
  /// As expensive as a retain; a weak reference would need an allocation for each object.
  func retainIfAlive() -> Instance? {
    CSwiftRuntime_tryRetain(toOpaque()) == nil ? nil : takeRetainedValue()
  }
}
