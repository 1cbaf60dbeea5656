// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Testing

/// Undoing once the event is over, and behind a save.
@Suite struct UndoHistoryTests {
  private let fixture: StoreFixture
  private let stop: ManagedObject<Stop>
  private let undoManager = ContextUndoManager()
  private var context: ManagedObjectContext { fixture.context }
  private let names = "SELECT ZNAME, ZIDENTIFIER FROM ZSTOP"

  /// A saved stop with two stop times, which is a fault.
  init() throws {
    fixture = try StoreFixture()
    stop = fixture.makeStop("A", stopTimes: 2)
    try fixture.context.save()
    try fixture.context.refresh(stop, mergeChanges: false)
    fixture.context.undoManager = undoManager
  }

  @Test func takesBackTheDeletionOfAMember() throws {
    let time = stop.stopTimes[0]
    context.delete(time)
    context.processPendingChanges()
    #expect(stop.stopTimes.count == 1)
    undoManager.undo()
    #expect(!time.isDeleted && stop.stopTimes.count == 2)
    #expect(!undoManager.canUndo && undoManager.canRedo && !context.hasChanges)
  }

  @Test func changesBackTheValuesOfAFault() throws {
    stop.name = "B"
    try context.save()
    undoManager.undo()
    #expect(stop.name == "A" && stop.identifier == 1)
    try context.save()
    #expect(try fixture.rows(names) == ["A|1"])
  }

  @Test func insertsAFaultAgainWithItsValues() throws {
    context.delete(stop)
    try context.save()
    undoManager.undo()
    #expect(stop.name == "A" && stop.identifier == 1)
    try context.save()
    #expect(try fixture.rows(names) == ["A|1"])
  }

  @Test func insertsAnOwnerAgainWithItsMembers() throws {
    let times = Array(stop.stopTimes)
    context.delete(stop)
    try context.save()
    undoManager.undo()
    #expect(Set(stop.stopTimes) == Set(times) && times.allSatisfy { $0.stop === stop })
    try context.save()
    #expect(
      try fixture.rows("SELECT COUNT(*) FROM ZSTOPTIME WHERE ZSTOP = 1 AND Z_FOK_STOP > 0")
        == ["2"])
  }

  @Test func undoesChangesAfterASave() throws {
    stop.name = "B"
    try context.save()
    stop.name = "C"
    context.processPendingChanges()
    undoManager.undo()
    #expect(stop.name == "B" && !context.hasChanges)
  }
}
