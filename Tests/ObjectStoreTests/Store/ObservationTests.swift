// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import TestSupport
import Testing

@Suite struct ObservationTests {
  private let fixture: StoreFixture
  private let request: FetchRequest<Stop>

  init() throws {
    fixture = try StoreFixture()
    var request = FetchRequest<Stop>(where: { $0.identifier < 10 })
    request.sortDescriptors = [SortDescriptor(\.name)]
    self.request = request
  }

  @Test func sendsTheCurrentResultAndEachChange() async throws {
    fixture.makeStop("B")
    try fixture.context.save()
    var names = fixture.container.values(observing: request) { $0.map(\.name) }
      .makeAsyncIterator()
    #expect(try await names.next() == ["B"])
    fixture.makeStop("A", identifier: 2)
    try fixture.context.save()
    #expect(try await names.next() == ["A", "B"])
    // Changes nothing of the result; the batch does.
    fixture.makeStop("C", identifier: 99)
    try fixture.context.save()
    var update = BatchUpdateRequest<Stop>(where: { $0.name == "A" })
    update.set(\.name, to: "Z")
    try fixture.container.newBackgroundContext().execute(update)
    #expect(try await names.next() == ["B", "Z"])
  }

  @Test func endsWithItsContainerAndWithAnError() async throws {
    var counts = fixture.container.values(observing: request) { $0.count }.makeAsyncIterator()
    #expect(try await counts.next() == 0)
    fixture.container.close()
    #expect(try await counts.next() == nil)
    struct Refused: Error {}
    let other = try StoreFixture()
    var failing = other.container.values(observing: request) { _ -> Int in throw Refused() }
      .makeAsyncIterator()
    do {
      _ = try await failing.next()
      Issue.record("no error")
    } catch is Refused {}
  }
}
