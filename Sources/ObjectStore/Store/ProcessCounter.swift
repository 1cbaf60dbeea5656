// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Ids that are unique within the process, from 1.
enum ProcessCounter {
  private static let fetches = Atomic<UInt64>(0)
  private static let saves = Atomic<UInt64>(0)
  private static let contexts = Atomic<UInt64>(0)
  private static let stores = Atomic<UInt64>(0)
  private static let temporaryKeys = Atomic<Int64>(0)

  static func nextFetchID() -> UInt64 { fetches.wrappingAdd(1, ordering: .relaxed).newValue }
  static func nextSaveID() -> UInt64 { saves.wrappingAdd(1, ordering: .relaxed).newValue }
  static func nextContextID() -> UInt64 { contexts.wrappingAdd(1, ordering: .relaxed).newValue }
  static func nextStoreID() -> UInt64 { stores.wrappingAdd(1, ordering: .relaxed).newValue }

  /// The primary key of an object that was never saved: negative, and no other object has it.
  static func nextTemporaryKey() -> Int64 {
    temporaryKeys.wrappingSubtract(1, ordering: .relaxed).newValue
  }
}
