// SPDX-License-Identifier: Apache-2.0

/// What a save does with an object whose row was written elsewhere since it was read.
public enum MergePolicy: String, Hashable, Sendable, CaseIterable {
  /// The save is refused with ``StoreError/conflict(_:)``.
  case error
  /// Property by property: what both have changed is as the store has it.
  case storeTrump
  /// Property by property: what both have changed is as the object has it.
  case objectTrump
  /// The row becomes what the object is, as a whole.
  case overwrite
  /// The object becomes what the row is; its changes are dropped.
  case rollback
}
