// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Objects that ended off their context's queue, which the queue is to take out of the register.
///
/// Until then the register has their addresses, and so their memory stays.
final class EndedObjects: Sendable {
  private let entries = Mutex<[Entry]>([])

  struct Entry: @unchecked Sendable {
    let register: ObjectRegister
    let place: Int
    let primaryKey: Int64
    let address: UnsafeMutableRawPointer
    // Keeps the memory of an object, which is never looked at again.
    private unowned let memory: AnyManagedObject

    init(_ object: AnyManagedObject, in register: ObjectRegister) {
      self.register = register
      place = Int(object.place)
      primaryKey = object.primaryKey
      address = Unmanaged.passUnretained(object).toOpaque()
      memory = object
    }
  }

  /// - Returns: whether it is the first one since they were taken.
  func add(_ object: AnyManagedObject, in register: ObjectRegister) -> Bool {
    let entry = Entry(object, in: register)
    return entries.withLock {
      $0.append(entry)
      return $0.count == 1
    }
  }

  func take() -> [Entry] {
    entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
  }
}

extension Unmanaged<AnyManagedObject> {
  /// The object, unless its last reference is just going on another thread.
  ///
  /// As dear as to retain it; a weak reference would take an allocation for each object.
  func takeLiving() -> AnyManagedObject? {
    swiftTryRetain(toOpaque()) == nil ? nil : takeRetainedValue()
  }
}

// NB: the runtime's own, without a name in Swift; delete when the library can ask it.
// https://github.com/swiftlang/swift/blob/main/docs/Runtime.md
@_silgen_name("swift_tryRetain")
private func swiftTryRetain(_ object: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?
