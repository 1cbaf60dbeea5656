// SPDX-License-Identifier: Apache-2.0

/// The states of objects before they were changed, for undoing or reporting the changes.
///
/// A context records an object in its journals before it changes it; without journals that is free.
final class ChangeJournal {
  /// By object, in the order of their first changes.
  private(set) var images: [JournaledObject] = []
  private var known: Set<ObjectIdentifier> = []
  private let lists: ChangeLists

  init(_ context: ManagedObjectContext) { lists = ChangeLists(context) }

  var isEmpty: Bool { images.isEmpty }
  /// Whether a save has made the changes part of the store since: then they cannot be taken back by
  /// dropping them, but by changing back.
  var isSaved = false

  /// Records the current state of the object, unless an earlier state is recorded.
  func note(_ object: AnyManagedObject) {
    guard known.insert(ObjectIdentifier(object)).inserted else { return }
    images.append(JournaledObject(object))
  }

  /// Records the data of these objects that a save is about to overwrite, or to remove from the
  /// disk.
  func keepSavedValues() throws {
    for index in images.indices { try images[index].keepSavedValues(isSaved: isSaved) }
  }

  /// Undoes the changes.
  func restore(in context: ManagedObjectContext) {
    for image in images { image.restore(in: context) }
    lists.restore(in: context)
    context.discardMembersOfOwners()
  }

  /// Undoes the changes, and returns the journal that redoes them.
  func exchange(in context: ManagedObjectContext) -> ChangeJournal {
    let journal = ChangeJournal(context)
    for image in images {
      context.willChange(image.object)
      journal.note(image.object)
    }
    guard isSaved else {
      restore(in: context)
      return journal
    }
    for image in images { image.restoreExistence(in: context) }
    for image in images { image.restoreValues(in: context) }
    // The members of a one-to-many follow from the other ends, which were just set.
    for image in images {
      guard let links = image.object.links else { continue }
      links.discardUnchanged()
      // A rollback discards the members that are loaded from now on.
      if !image.object.isRemoved { image.object.markUpdated() }
    }
    for image in images { image.restoreOwnership(in: context) }
    for image in images {
      image.object.forEachOwnerWithoutIt { owner, slot in
        journal.note(owner)
        owner.linkMember(image.object, slot, at: nil)
      }
    }
    // The order keys that these objects had belong to the order before.
    for image in images {
      image.object.forEachOrderThatChanged { owner, slot in
        journal.note(owner)
        context.willChange(owner)
        owner.reorder(slot) { $0 }
      }
    }
    for image in images { image.restoreOrder() }
    return journal
  }
}

/// The objects of a context that are to be written.
private struct ChangeLists {
  let inserted, changed, deleted: [AnyManagedObject]

  init(_ context: ManagedObjectContext) {
    inserted = context.inserted
    changed = context.changed
    deleted = context.deleted
  }

  func restore(in context: ManagedObjectContext) {
    context.inserted = inserted
    context.changed = changed
    context.deleted = deleted
  }
}

extension ManagedObjectContext {
  /// To be called before an object is changed.
  func willChange(_ object: AnyManagedObject) {
    guard !journals.isEmpty else { return }
    for journal in journals { journal.note(object) }
  }

  /// Runs changes that are taken back if they throw.
  func attempt<R>(_ changes: (ChangeJournal) throws -> R) throws -> R {
    let journal = ChangeJournal(self)
    journals.append(journal)
    defer { journals.removeAll { $0 === journal } }
    do {
      return try changes(journal)
    } catch {
      journal.restore(in: self)
      throw error
    }
  }
}
