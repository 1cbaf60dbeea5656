// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

@Suite struct ContextUndoManagerTests {
  private func makeStore(
    stopTimes: Int = 0
  ) throws -> (StoreFixture, ManagedObject<Stop>, ContextUndoManager) {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A", stopTimes: stopTimes)
    try fixture.context.save()
    let undoManager = ContextUndoManager()
    fixture.context.undoManager = undoManager
    return (fixture, stop, undoManager)
  }

  @Test func takesBackAndMakesAgain() throws {
    let (fixture, stop, undoManager) = try makeStore()
    #expect(!undoManager.canUndo && !undoManager.canRedo)
    stop.name = "B"
    fixture.context.processPendingChanges()
    stop.name = "C"
    stop.note = "c"
    #expect(undoManager.canUndo)
    undoManager.undo()
    #expect(stop.name == "B" && stop.note == nil && stop.isUpdated)
    undoManager.undo()
    #expect(stop.name == "A" && !fixture.context.hasChanges && !undoManager.canUndo)
    undoManager.redo()
    undoManager.redo()
    #expect(stop.name == "C" && stop.note == "c" && !undoManager.canRedo)
    undoManager.undo()
    stop.note = "another"
    fixture.context.processPendingChanges()
    #expect(!undoManager.canRedo)
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZNAME, ZNOTE FROM ZSTOP") == ["B|another"])
  }

  @Test func takesBackInsertionsDeletionsAndRelationships() throws {
    let (fixture, stop, undoManager) = try makeStore(stopTimes: 2)
    let context = fixture.context
    let times = Array(stop.stopTimes)
    let new = context.insert(StopTime.self)
    stop.stopTimes.insert(new, at: 0)
    context.processPendingChanges()
    context.delete(stop)
    context.processPendingChanges()
    #expect(times.filter(\.isDeleted).count == 2)
    undoManager.undo()
    #expect(!stop.isDeleted && times.filter(\.isDeleted).isEmpty && stop.stopTimes.count == 3)
    #expect(stop.stopTimes[0] === new && new.isInserted)
    undoManager.undo()
    #expect(stop.stopTimes.count == 2 && new.isDeleted && new.stop == nil)
    #expect(!context.hasChanges)
    undoManager.redo()
    #expect(stop.stopTimes[0] === new && new.stop === stop)
    try context.save()
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZSTOPTIME WHERE ZSTOP = 1") == ["3"])
  }

  @Test func countsAGroupAsOneStep() throws {
    let (fixture, stop, undoManager) = try makeStore()
    undoManager.beginUndoGrouping()
    for name in ["B", "C", "D"] {
      stop.name = name
      fixture.context.processPendingChanges()
    }
    undoManager.beginUndoGrouping()
    stop.note = "n"
    undoManager.endUndoGrouping()
    undoManager.endUndoGrouping()
    undoManager.undo()
    #expect(stop.name == "A" && stop.note == nil && !undoManager.canUndo)
    undoManager.redo()
    #expect(stop.name == "D" && stop.note == "n")
  }

  @Test func keepsAsManyLevelsAsRequested() throws {
    let (fixture, stop, undoManager) = try makeStore()
    undoManager.levelsOfUndo = 2
    for name in ["B", "C", "D"] {
      stop.name = name
      fixture.context.processPendingChanges()
    }
    undoManager.undo()
    undoManager.undo()
    #expect(!undoManager.canUndo && stop.name == "B")
  }

  @Test func changesBackWhatWasSaved() throws {
    let (fixture, stop, undoManager) = try makeStore(stopTimes: 1)
    let context = fixture.context
    let time = stop.stopTimes[0]
    stop.name = "B"
    context.processPendingChanges()
    let other = fixture.makeStop("other", identifier: 2)
    time.stop = other
    context.processPendingChanges()
    context.delete(stop)
    try context.save()
    let rows = "SELECT Z_PK, ZNAME FROM ZSTOP ORDER BY 1"
    #expect(try fixture.rows(rows) == ["2|other"])
    undoManager.undo()
    #expect(!stop.isDeleted && stop.isInserted && stop.name == "B")
    try context.save()
    #expect(try fixture.rows(rows) == ["1|B", "2|other"])
    undoManager.undo()
    #expect(time.stop === stop && other.isDeleted)
    undoManager.undo()
    try context.save()
    #expect(try fixture.rows(rows) == ["1|A"])
    #expect(try fixture.rows("SELECT ZSTOP FROM ZSTOPTIME") == ["1"])
    undoManager.redo()
    undoManager.redo()
    #expect(stop.name == "B" && time.stop === other)
    try context.save()
    #expect(try fixture.rows(rows) == ["1|B", "2|other"])
  }

  @Test func discardsWithARollback() throws {
    let (fixture, stop, undoManager) = try makeStore()
    stop.name = "B"
    fixture.context.processPendingChanges()
    fixture.context.rollback()
    #expect(!undoManager.canUndo && stop.name == "A")
    stop.name = "C"
    undoManager.undo()
    #expect(stop.name == "A")
  }
}
