// SPDX-License-Identifier: Apache-2.0

extension HistoryTransaction {
  /// For ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
  public var contextChanges: ContextChanges {
    func ids(_ kind: HistoryChange.Kind) -> [ManagedObjectID] {
      changes.filter { $0.kind == kind }.map(\.objectID)
    }
    return ContextChanges(inserted: ids(.insert), updated: ids(.update), deleted: ids(.delete))
  }
}
