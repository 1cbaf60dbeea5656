// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreExpectations
import StoreInstruments
import Synchronization
import TestSupport
import Testing

private struct Stop: Entity {
  let name = Attribute<String>("name")
  let longitude = Attribute<Double>("longitude", default: 0)
  static let indexes: [Index<Stop>] = [Index(\.longitude)]
}

@Suite struct ExpectStoreTests {
  let folder: TemporaryDirectory
  let container: PersistentContainer
  private var context: ManagedObjectContext { container.mainContext }

  init() throws {
    folder = try TemporaryDirectory()
    container = try PersistentContainer(
      at: folder.url.appending(path: "store.sqlite"), entities: [Stop.self],
      instruments: Instruments(observers: []))
    for index in 0..<20 {
      let stop = container.mainContext.insert(Stop.self)
      stop.name = "stop \(index)"
      stop.longitude = Double(index)
    }
    try container.mainContext.save()
    container.mainContext.reset()
  }

  private func byLongitude() throws -> [ManagedObject<Stop>] {
    try context.fetch(FetchRequest<Stop>(where: { $0.longitude >= 5 && $0.longitude <= 8 }))
  }

  private func byName() throws -> [ManagedObject<Stop>] {
    try context.fetch(FetchRequest<Stop>(where: { $0.name == "stop 3" }))
  }

  /// The issue that an expectation must record, as text.
  private func issues(_ body: () throws -> Void) throws -> [String] {
    let found = Found()
    try withKnownIssue {
      try body()
    } matching: { issue in
      found.texts.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
      return true
    }
    return found.texts.withLock { $0 }
  }

  private final class Found: Sendable { let texts = Mutex<[String]>([]) }

  @Test func metExpectationIsNoIssue() throws {
    let stops = try expectStore(
      container, fetches: 1, counts: 0, rows: 4, faults: 0, cacheMisses: 0, saves: 0, fullScans: 0
    ) { try byLongitude() }
    #expect(stops.count == 4)
    expectStore(container, fetches: 0, faults: 4, cacheMisses: 0) {
      #expect(stops.map(\.name).count == 4)
    }
    try expectStore(container, fetches: 0, rows: .atMost(0), saves: 1) {
      stops[0].name = "other"
      try context.save()
    }
  }

  @Test func aFullScanIsAnIssueWithItsStatementAndCaller() throws {
    let texts = try issues {
      try expectStore(container, fetches: 1, fullScans: 0) { _ = try byName() }
    }
    let text = try #require(texts.first)
    #expect(texts.count == 1)
    #expect(text.hasPrefix("expected 0 full scans, counted 1\n  1× SELECT 0, t0.Z_PK"), "\(text)")
    #expect(text.contains("WHERE  t0.ZNAME = ?"))
    #expect(
      text.contains(
        "— 1 row, 19 full-scan steps, at StoreExpectationsTests/ExpectStoreTests.swift:"))
  }

  @Test func reportsAllDifferencesAtOnce() throws {
    let texts = try issues {
      try expectStore(container, fetches: .atLeast(2), counts: 0, saves: .exactly(1)) {
        _ = try byLongitude()
        _ = try context.count(FetchRequest<Stop>())
      }
    }
    #expect(
      texts.first?.hasPrefix(
        "expected at least 2 fetches, counted 1; expected 0 counts, counted 1; expected 1 saves, counted 0\n"
      ) == true, "\(texts)")
  }

  @Test func cacheMissesAreReportedAtTheLineThatFetched() throws {
    let stops = try expectStore(container, rows: 4) { try byLongitude() }
    let ids = stops.map(\.objectID)
    context.reset()
    let cold = try PersistentContainer(
      at: folder.url.appending(path: "store.sqlite"), entities: [Stop.self],
      instruments: Instruments(observers: []))
    let texts = try issues {
      try expectStore(cold, cacheMisses: 0) {
        for id in ids { _ = try cold.mainContext.object(with: id).value(forKey: "name") }
      }
    }
    #expect(texts.first?.contains("expected 0 cache misses, counted 4") == true, "\(texts)")
    #expect(texts.first?.contains("4× SELECT") == true, "\(texts)")
    #expect(texts.first?.contains("for faults") == true, "\(texts)")
  }

  @Test func otherContextsDoNotCount() async throws {
    let other = container.newBackgroundContext()
    try await expectStore(context, fetches: 1) {
      _ = try byLongitude()
      _ = try await other.perform { try other.fetch(FetchRequest<Stop>()).count }
    }
    try await expectStore(container, fetches: 2) {
      _ = try byLongitude()
      _ = try await other.perform { try other.fetch(FetchRequest<Stop>()).count }
    }
  }

  @Test func anErrorEndsTheExpectationToo() throws {
    struct Stopped: Error {}
    let texts = try issues {
      do {
        try expectStore(container, fetches: 0) {
          _ = try byLongitude()
          throw Stopped()
        }
      } catch is Stopped {}
    }
    #expect(texts.count == 1)
    #expect(!container.instrumentsAreWatched)
  }

  @Test func expectationsNest() throws {
    try expectStore(container, fetches: 2) {
      _ = try byLongitude()
      try expectStore(container, fetches: 1) { _ = try byLongitude() }
    }
  }
}

extension PersistentContainer {
  /// Whether an observer is notified of anything: without observers there are no interests.
  fileprivate var instrumentsAreWatched: Bool { !instruments.interests.isEmpty }
}
