// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The writes of one save as values: a context creates it, and ``SaveWriter`` executes it without a
/// reference to any object.
struct SavePlan {
  /// In the order in which they get their keys, entity by entity.
  var insertions: [Row] = []
  var updates: [Row] = []
  var deletions: [Row] = []
  /// The rows with changed to-many relationships, and the changes.
  var links: [Links] = []
  /// The resolution of a conflict with another writer.
  var mergePolicy = MergePolicy.error

  /// Identifies a row before and after it has its permanent key.
  struct RowID: Hashable {
    /// The index of its table in all that is kept by table.
    let table: Int
    /// `Z_PK`; below zero for a row that gets its key while it is written.
    let key: Int64
  }

  /// A row to insert, to update or to delete.
  struct Row {
    let entity: EntityDescription
    /// `Z_PK`; below zero for a row that gets its key while it is written.
    let key: Int64
    /// The new values by slot, nil for an unchanged one; empty if there are none.
    let changes: [StoreValue?]
    /// The row as it was read; nil for one that is inserted, or that no longer exists.
    let snapshot: RowSnapshot?
    /// By slot: data that was read from files, which may no longer exist.
    var readData: [Int: (reference: ExternalDataReference, data: Data)] = [:]

    var id: RowID { RowID(table: entity.index, key: key) }
    var objectID: ManagedObjectID {
      ManagedObjectID(reference: entity.reference, primaryKey: key)
    }
    /// `Z_OPT` as it was read.
    var version: Int64 { snapshot?.version ?? 0 }
  }

  /// The changed to-many relationships of one row, which is inserted or there.
  struct Links {
    let entity: EntityDescription
    let owner: RowID
    /// Their names.
    var properties: [String] = []
    var pairs: [Pairs] = []
    var orders: [Order] = []
  }

  /// Pairs of a many-to-many, written by the end that its table is named for.
  struct Pairs {
    let relationship: RelationshipDescription
    let removed: [RowID]
    let added: [RowID]
  }

  /// The members of an ordered relationship, in their new order.
  struct Order {
    let relationship: RelationshipDescription
    let members: [Member]
    /// Whether they are placed after members that are not loaded.
    let isAppended: Bool

    struct Member {
      let entity: EntityDescription
      let id: RowID
      let isInserted: Bool
      /// Its saved order key; nil for a new member.
      let orderKey: Int64?
    }
  }

  /// Whether a row may refer to one that is inserted, and so needs its new key.
  var mayReferToInsertions: Bool {
    !insertions.isEmpty
      && (!links.isEmpty || insertions.contains { !$0.entity.toOnes.isEmpty }
        || updates.contains { !$0.entity.toOnes.isEmpty })
  }
}

/// How a save has resolved a conflict over one row.
enum ConflictResolution {
  /// These changes were written over the row that another writer had written.
  case merged(RowSnapshot, changes: [StoreValue?])
  /// Nothing was written: the row is unchanged.
  case kept(RowSnapshot)
  /// The row was inserted again, with these values.
  case inserted([StoreValue?])
  /// The row no longer exists, and is not inserted again.
  case gone
}

/// The results of a save that the context adopts.
struct SaveOutcome {
  /// The row cache's before the commit, while no other writer could write.
  var cacheEpoch: UInt64 = 0
  /// The key of each inserted row, in the order of the plan.
  var keys: [Int64] = []
  /// By the plan's links and their orders: the new key of each member, nil if it is unchanged.
  var orderKeys: [[[Int64?]]] = []
  /// How conflicts were resolved.
  var resolutions: [SavePlan.RowID: ConflictResolution] = [:]
  /// By slot: data with external storage, or the files to which it was written.
  var externalValues: [SavePlan.RowID: [Int: StoreValue]] = [:]
  /// Rows with derived attributes that were computed from the other end of a relationship.
  var derived: [DerivedRowKeys] = []
}
