// SPDX-License-Identifier: Apache-2.0

/// The treatment of an object whose row was changed by another writer after it was read.
public enum MergePolicy: String, Hashable, Sendable, CaseIterable {
  /// The save is refused with ``StoreError/conflict(_:)``.
  case error
  /// Property by property: if both have changed it, the store's value is kept.
  case storeTrump
  /// Property by property: if both have changed it, the object's value is kept.
  case objectTrump
  /// The row becomes what the object is, as a whole.
  case overwrite
  /// The object becomes what the row is; its changes are dropped.
  case rollback
}
