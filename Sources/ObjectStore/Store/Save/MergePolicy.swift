// SPDX-License-Identifier: Apache-2.0

/// The treatment of an object if another writer changed its row after it was read.
public enum MergePolicy: String, Hashable, Sendable, CaseIterable {
  /// The save is refused with ``StoreError/conflict(_:)``.
  case error
  /// Property by property: if both have changed it, the store's value is kept.
  case storeTrump
  /// Property by property: if both have changed it, the object's value is kept.
  case objectTrump
  /// The object's values, all of them, overwrite the row.
  case overwrite
  /// The row's values replace the object's; its changes are dropped.
  case rollback
}
