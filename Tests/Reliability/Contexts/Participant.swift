// SPDX-License-Identifier: Apache-2.0

import ObjectStore

/// A context, and its expected state.
final class Participant {
  let context: ManagedObjectContext
  let parent: Participant?
  /// Its expected objects without its own changes.
  var base = NodeImage()
  /// Its expected objects.
  var view = NodeImage()
  /// Whether its source was changed since its last notification: it then shows the loaded objects
  /// and to-manys as they were.
  var isOutdated = false
  /// Whether relationships were changed since the last save, be it only the order of members.
  var hasLinkChanges = false
  /// Saves of others that it has not merged yet.
  var notices: [ContextChanges] = []
  /// The objects of it that the test retains.
  var handles: [Int: ManagedObject<Node>] = [:]
  /// The nodes that it has deleted, saved before or not.
  var doomed: Set<Int> = []
  /// The deleted nodes that it had never saved.
  var discarded: Set<Int> = []
  /// The nodes that it has deleted after others had deleted them: their rows may be there again.
  var fulfilled: Set<Int> = []
  /// The nodes that saves it has not merged yet have deleted: the row may be there again.
  var vanished: Set<Int> = []
  /// Its objects and deletions when its undo manager was empty.
  var undoMark = Mark()
  /// Whether its parent has discarded changes: it refreshes itself as soon as it can.
  var hasToFollow = false
  var watches: [ControllerWatch] = []
  /// Its objects before all was undone.
  var redoMark: Mark?

  init(_ context: ManagedObjectContext, parent: Participant? = nil) {
    self.context = context
    self.parent = parent
  }

  struct Mark {
    var view = NodeImage()
    var doomed: Set<Int> = []
    var discarded: Set<Int> = []
  }

  var mark: Mark {
    get { Mark(view: view, doomed: doomed, discarded: discarded) }
    set { (view, doomed, discarded) = (newValue.view, newValue.doomed, newValue.discarded) }
  }

  var changes: NodeChanges { NodeChanges(from: base, to: view) }

  /// Whether its parent has deleted objects that it has changed.
  var isBehindADeletion: Bool {
    guard let parent else { return false }
    return changes.updated.keys.contains { parent.view.rows[$0] == nil }
  }

  /// Puts its changes over another base.
  ///
  /// - Returns: false if they do not fit: nodes that were changed here are gone there, or the same
  ///   pairs were changed.
  func rebase(onto image: NodeImage) -> Bool {
    // A merge drops references to deleted objects; a later merge does not bring them back.
    let restored = vanished.intersection(image.rows.keys).subtracting(changes.updated.keys)
    view.dropReferences(since: base, to: restored.subtracting(doomed))
    vanished = []
    var changes = changes
    changes.dropDeletions(of: fulfilled)
    doomed.subtract(fulfilled)
    fulfilled = []
    // A node with a deletion that was undone and redone is to be deleted, even if it is back below.
    changes.deleted.formUnion(discarded.intersection(image.rows.keys))
    let gone = Set(base.rows.keys).subtracting(image.rows.keys)
    base = image
    view = changes.applied(to: image, keepingInverses: true)
    view.dropReferences(since: image, except: doomed.subtracting(gone))
    view.delete(Set(base.rows.keys).subtracting(view.rows.keys))
    // Denied references may still lead to nodes that the rules deleted with it.
    doomed.formUnion(Set(base.rows.keys).subtracting(view.rows.keys))
    // A node is there again after its parent has discarded the deletion.
    doomed.subtract(view.rows.keys)
    isOutdated = false
    return gone.isDisjoint(with: changes.updated.keys) && !changes.repeatsPairs(of: image)
  }

  /// Whether ``rebase(onto:)`` would succeed.
  func fits(_ image: NodeImage) -> Bool {
    let before = (base, view, doomed, isOutdated, fulfilled, vanished)
    defer { (base, view, doomed, isOutdated, fulfilled, vanished) = before }
    return rebase(onto: image)
  }

  func discardUndo() {
    context.undoManager?.removeAllActions()
    undoMark = mark
    redoMark = nil
  }
}
