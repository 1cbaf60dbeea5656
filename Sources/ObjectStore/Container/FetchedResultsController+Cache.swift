// SPDX-License-Identifier: Apache-2.0

extension FetchedResultsController {
  /// Removes the sections that controllers have kept beside a store, of one name or of all.
  public static func deleteCache(named name: String?, of container: PersistentContainer) {
    SectionCache.delete(name, of: container.store)
  }
}
