// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

struct StoreRecordedValuesTests {
  private func container(
    recordsValues: Bool, in directory: TemporaryDirectory, instruments: Instruments
  ) throws -> PersistentContainer {
    var options = StoreOptions()
    options.recordsValues = recordsValues
    return try PersistentContainer(
      at: directory.url.appending(path: "stops.sqlite"), entities: [Stop.self, StopTime.self],
      options: options, instruments: instruments)
  }

  private func fetch(_ name: String, _ container: PersistentContainer) throws {
    _ = try container.mainContext.fetch(
      FetchRequest<Stop>(predicate: try FetchPredicate("name == %@", name)))
  }

  @Test func storeThatDoesNotRecordValuesEmitsNoneOfThem() throws {
    let observer = RecordingObserver(interests: .events)
    let directory = try TemporaryDirectory()
    let container = try container(
      recordsValues: false, in: directory, instruments: Instruments(observers: [observer]))
    try fetch("a secret", container)
    #expect(observer.events.contains { $0.kind == .fetchEnd })
    #expect(!observer.events.contains { $0.kind == .values })
    #expect(!"\(observer.events)".contains("a secret"))
  }

  @Test(arguments: [true, false])
  func storeThatRecordsValuesEmitsEachDistinctOneOnce(byOptions: Bool) throws {
    let observer = RecordingObserver(interests: .events)
    let directory = try TemporaryDirectory()
    let container = try container(
      recordsValues: byOptions, in: directory,
      instruments: Instruments(observers: [observer], recordsValues: !byOptions))
    for name in ["a", "b", "a", "b", "a"] { try fetch(name, container) }
    let values = observer.events.compactMap { event -> ValuesBound? in
      if case .values(let values) = event { values } else { nil }
    }
    #expect(values.map(\.values) == ["'a'", "'b'"])
    let fetched = observer.events.compactMap { event -> StatementID? in
      if case .fetchEnd(let end) = event { end.statementID } else { nil }
    }
    #expect(Set(values.map(\.statementID)) == Set(fetched))
  }
}
