// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import Reliability
import StoreEvents
import StoreInstruments
import Synchronization
import TestSupport
import Testing

/// Two processes on one store.
@Suite struct TwoProcessTests {
  private struct Fixture {
    let folder: TemporaryDirectory
    let url: URL
    let observer = RecordingObserver()
    let disk = FaultyDisk()
    let container: PersistentContainer
    let other: ChildProcess

    var context: ManagedObjectContext { container.mainContext }

    init(busyTimeout: Duration = .seconds(3600)) throws {
      folder = try TemporaryDirectory()
      url = folder.url.appending(path: "counters.sqlite")
      var options = StoreOptions()
      options.busyTimeout = busyTimeout
      container = try StoreFollower.open(
        url, disk.options(options), instruments: Instruments(observers: [observer]))
      container.mainContext.insert(Counter.self).number = 1
      try container.mainContext.save()
      other = try ChildProcess(Program("store-torture").path, ["follow", url.path])
    }
  }

  @Test func waitsForTheOtherProcessAndReportsHowLong() throws {
    let fixture = try Fixture()
    let counter = try fixture.context.counter(1)
    counter.total = 5
    #expect(fixture.other.ask("hold") == "done")
    fixture.observer.removeAll()
    let background = fixture.container.newBackgroundContext()
    let failure = Mutex<(any Error)?>(nil)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      background.performAndWait {
        do {
          background.insert(Counter.self).number = 2
          try background.save()
        } catch { failure.withLock { $0 = error } }
      }
      done.signal()
    }
    // The lock was refused: the save waits now, however long that takes.
    fixture.disk.waitForBusy(2)
    // Readers do not.
    #expect(try fixture.context.count(FetchRequest<Counter>()) == 1)
    #expect(fixture.other.ask("release") == "done")
    done.wait()
    #expect(failure.withLock { $0 == nil })
    var waits: [BusyWaited] = []
    var transactions: [TransactionEnded] = []
    var saves: [SaveEnd] = []
    for event in fixture.observer.events {
      switch event {
      case .busy(let wait): waits.append(wait)
      case .transaction(let transaction): transactions.append(transaction)
      case .saveEnd(let save): saves.append(save)
      default: break
      }
    }
    #expect(waits.count == 1 && waits.allSatisfy { $0.attempts >= 2 && $0.gaveUp == 0 })
    #expect(transactions.map(\.outcome) == ["commit"])
    let waited = waits.first?.waitTime ?? 0
    // From the first refusal to the lock; the transaction's wait began before it.
    #expect(waited > 0 && (transactions.first?.waitTime ?? 0) > 0)
    #expect(saves.count == 1 && saves.first?.waitTime == transactions.first?.waitTime)
    #expect(saves.first?.error == "")
  }

  @Test func failsAtOnceWhereItMustNotWait() throws {
    let fixture = try Fixture(busyTimeout: .zero)
    let counter = try fixture.context.counter(1)
    counter.total = 5
    #expect(fixture.other.ask("hold") == "done")
    do {
      try fixture.context.save()
      Issue.record("a save went through another process's lock")
    } catch StoreError.busy(let path, _) {
      #expect(path == fixture.url.path)
    }
    #expect(counter.isUpdated && counter.total == 5)
    #expect(fixture.other.ask("release") == "done")
    try fixture.context.save()
    #expect(fixture.other.ask("set 1 6") == "done")
    try fixture.context.refresh(counter, mergeChanges: false)
    #expect(counter.total == 6)
  }

  @Test func seesWhatTheOtherProcessHasSaved() throws {
    let fixture = try Fixture()
    let counter = try fixture.context.counter(1)
    #expect(counter.total == 0)
    #expect(fixture.other.ask("set 1 40") == "done")
    // It is loaded, and keeps its value until it is refreshed.
    #expect(counter.total == 0)
    try fixture.context.refresh(counter, mergeChanges: false)
    #expect(counter.total == 40)
    counter.total = 41
    try fixture.context.save()
    // And the other way round: a conflict, which its retry resolves.
    #expect(fixture.other.ask("increment 1 1") == "done")
    try fixture.context.refresh(counter, mergeChanges: false)
    #expect(counter.total == 42)
  }

  @Test func followsTheMergePolicyAgainstTheOtherProcess() throws {
    let fixture = try Fixture()
    let counter = try fixture.context.counter(1)
    counter.total = 1
    #expect(fixture.other.ask("set 1 40") == "done")
    let error = #expect(throws: StoreError.self) { try fixture.context.save() }
    guard case .conflict(let conflicts)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(conflicts.map(\.conflictingProperties) == [["total"]])
    fixture.context.mergePolicy = .storeTrump
    try fixture.context.save()
    #expect(counter.total == 40 && !fixture.context.hasChanges)
    counter.total = 2
    #expect(fixture.other.ask("set 1 50") == "done")
    fixture.context.mergePolicy = .objectTrump
    try fixture.context.save()
    let fresh = fixture.container.newBackgroundContext()
    #expect(try fresh.performAndWait { try fresh.counter(1).total } == 2)
  }

  @Test func countsEveryIncrementOfBothProcesses() throws {
    let fixture = try Fixture()
    let counter = try fixture.context.counter(1)
    fixture.other.write("increment 1 150")
    for _ in 0..<150 { _ = try fixture.context.saveRetrying { counter.total += 1 } }
    #expect(fixture.other.readLine() == "done")
    fixture.container.close()
    let again = try StoreFollower.open(fixture.url)
    #expect(try again.mainContext.counter(1).total == 300)
  }

  @Test func keepsValuesUniqueAcrossProcesses() throws {
    let fixture = try Fixture()
    #expect(fixture.other.ask("insert 7") == "done")
    let counter = fixture.context.insert(Counter.self)
    counter.number = 7
    #expect(throws: StoreError.notUnique(entity: "Counter", properties: ["number"])) {
      try fixture.context.save()
    }
    #expect(counter.isInserted && counter.objectID.isTemporary)
    counter.number = 8
    try fixture.context.save()
    #expect(
      fixture.other.ask("insert 8")
        == "another Counter has the same number; nothing was saved: change it, or fetch the other "
        + "one and change that")
    // Keys come from the file, so none is given twice.
    #expect(
      try fixture.context.fetch(FetchRequest<Counter>()).map(\.objectID.primaryKey).sorted()
        == [1, 2, 3])
  }
}
