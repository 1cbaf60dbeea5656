// SPDX-License-Identifier: Apache-2.0

/// Undoes and redoes the changes of a context, one group at a time.
///
///     context.undoManager = ContextUndoManager()
///     stop.name = "B"
///     context.undoManager?.undo()
///
/// A user event is a group, and so are the changes between ``beginUndoGrouping()`` and
/// ``endUndoGrouping()``. A save does not end the history: an undo after it is a change that the
/// next save writes. A rollback and a reset do.
public final class ContextUndoManager {
  /// The maximum number of groups; 0 for no limit.
  public var levelsOfUndo = 0 {
    didSet { trim() }
  }
  private weak var context: ManagedObjectContext?
  private var undoStack: [ChangeJournal] = []
  private var redoStack: [ChangeJournal] = []
  private var open: ChangeJournal?
  private var level = 0

  /// Belongs to a context once it is its ``ManagedObjectContext/undoManager``.
  public init() {}

  /// Whether there is anything to take back.
  public var canUndo: Bool { !undoStack.isEmpty || open?.isEmpty == false }
  /// Whether there is anything to make again.
  public var canRedo: Bool { !redoStack.isEmpty && open?.isEmpty != false }

  /// Begins a group that lasts over user events; groups within it are part of it.
  public func beginUndoGrouping() {
    if level == 0 { closeGroup() }
    level += 1
  }

  /// Ends the group that was begun last.
  public func endUndoGrouping() {
    require(level > 0, "endUndoGrouping without beginUndoGrouping")
    level -= 1
    if level == 0 { closeGroup() }
  }

  /// Undoes the last group; changes that are not in a closed group yet count as one.
  public func undo() {
    context?.processPendingChanges()
    closeGroup()
    guard let group = undoStack.popLast() else { return }
    redoStack.append(exchange(group))
  }

  /// Makes the group again that was taken back last.
  public func redo() {
    context?.processPendingChanges()
    guard open?.isEmpty != false, let group = redoStack.popLast() else { return }
    undoStack.append(exchange(group))
  }

  /// Removes all groups.
  public func removeAllActions() {
    undoStack = []
    redoStack = []
    level = 0
    reopen()
  }

  func attach(to context: ManagedObjectContext?) {
    close()
    self.context = context
    removeAllActions()
  }

  func eventDidEnd() {
    if level == 0 { closeGroup() }
  }

  /// - Throws: ``StoreError/externalData(_:property:_:)`` if a value that the save removes cannot
  ///   be kept for a later undo.
  func contextWillSave() throws {
    for journal in undoStack + redoStack { try journal.keepSavedValues() }
    try open?.keepSavedValues()
  }

  func contextDidSave() {
    for journal in undoStack + redoStack { journal.isSaved = true }
    // Changes in an empty one from now on are not saved yet.
    if open?.isEmpty == false { open?.isSaved = true } else { reopen() }
  }

  private func closeGroup() {
    guard let group = open, !group.isEmpty else { return }
    undoStack.append(group)
    redoStack = []
    trim()
    reopen()
  }

  private func exchange(_ group: ChangeJournal) -> ChangeJournal {
    guard let context else { return group }
    close()
    let inverse = group.exchange(in: context)
    context.discardLost()
    // Changes of the delete rules when objects are deleted again belong to the same step. As a
    // separate step they would follow each undo, without end.
    context.journals.append(inverse)
    do { try context.followDeleteRules() } catch { context.recordFaultError(error) }
    context.journals.removeAll { $0 === inverse }
    reopen()
    context.endEvent()
    return inverse
  }

  private func reopen() {
    close()
    guard let context else { return }
    let journal = ChangeJournal(context)
    open = journal
    context.journals.append(journal)
  }

  private func close() {
    context?.journals.removeAll { $0 === open }
    open = nil
  }

  private func trim() {
    guard levelsOfUndo > 0, undoStack.count > levelsOfUndo else { return }
    undoStack.removeFirst(undoStack.count - levelsOfUndo)
  }
}
