// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

@Suite struct StoreIOTests {
  private func events(_ kind: StoreEvent.Kind, of fixture: StoreFixture) -> [StoreEvent] {
    fixture.observer.events.filter { $0.kind == kind }
  }

  @Test func thePartsOfASaveAddUpToItsTime() throws {
    var options = StoreOptions()
    options.recordsIO = true
    let fixture = try StoreFixture(options: options)
    for number in 0..<2000 { fixture.makeStop("\(number)", identifier: Int64(number)) }
    fixture.observer.removeAll()
    try fixture.context.save()
    guard case .commitIO(let commit) = events(.commitIO, of: fixture).first else {
      Issue.record("a save reported no parts")
      return
    }
    #expect(commit.saveID != 0)
    #expect(commit.changes == 2000)
    #expect(commit.logWrites > 20)
    #expect(commit.logTime > 0)
    let parts = [
      commit.waitTime, commit.bodyTime, commit.logTime, commit.fileTime, commit.syncTime,
      commit.checkpointTime, commit.commitTime,
    ]
    let sum = parts.reduce(0, +)
    #expect(abs(sum - commit.totalTime) <= commit.totalTime / 20)
    let total = fixture.observer.events.compactMap { event -> Nanoseconds? in
      if case .saveEnd(let save) = event { save.totalTime } else { nil }
    }
    #expect(total.count == 1 && total[0] >= commit.totalTime)
  }

  @Test func aFetchReportsItsPages() throws {
    var options = StoreOptions()
    options.recordsIO = true
    options.rowCacheSize = 0
    let fixture = try StoreFixture(options: options)
    for number in 0..<500 { fixture.makeStop("\(number)", identifier: Int64(number)) }
    try fixture.context.save()
    fixture.observer.removeAll()
    let context = fixture.container.newBackgroundContext()
    _ = try context.performAndWait { try context.fetch(FetchRequest<Stop>()).count }
    let fetches = fixture.observer.events.compactMap { event -> FetchEnd? in
      if case .fetchEnd(let fetch) = event { fetch } else { nil }
    }
    let files = events(.statementIO, of: fixture).compactMap { event -> StatementIO? in
      if case .statementIO(let io) = event, io.runID == fetches.first?.fetchID { io } else { nil }
    }
    #expect(files.count == 1)
    #expect((files.first?.cacheHits ?? 0) + (files.first?.cacheMisses ?? 0) > 0)
    #expect(files.first?.reads ?? 0 > 0)
  }

  @Test func withoutTheOptionNothingIsReported() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    #expect(events(.commitIO, of: fixture) == [] && events(.statementIO, of: fixture) == [])
  }
}
