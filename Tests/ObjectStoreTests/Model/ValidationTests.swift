// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

struct Ticket: Entity {
  let code = Attribute<String>("code").validated(.length(2...4), .matches("[A-Z]+[0-9]?"))
  let zone = Attribute<Int32?>("zone").validated(.range(1...5))
  let price = Attribute<Double>("price", default: 1).validated(.range(0...))
  let image = Attribute<Data?>("image").validated(.length(...3))
  let seat = Attribute<Int>("seat", default: 2)
    .validated(.custom("must be even") { $0.isMultiple(of: 2) })
}

@Suite struct ValidationTests {
  private func problems(
    _ change: (ManagedObject<Ticket>) -> Void
  ) throws -> [String: StoreError.ValidationFailure.Problem] {
    let fixture = try StoreFixture([Ticket.self])
    let ticket = fixture.context.insert(Ticket.self)
    ticket.code = "AB1"
    change(ticket)
    do {
      try fixture.context.save()
      return [:]
    } catch StoreError.invalid(let failures) {
      #expect(failures.allSatisfy { $0.objectID == ticket.objectID } && ticket.isInserted)
      #expect(try fixture.rows("SELECT * FROM ZTICKET").isEmpty)
      return Dictionary(failures.map { ($0.property, $0.problem) }) { a, _ in a }
    }
  }

  @Test func acceptsWhatIsAllowed() throws {
    #expect(try problems { _ in } == [:])
    #expect(
      try problems {
        $0.zone = 5
        $0.price = 0
        $0.image = Data([1, 2, 3])
      } == [:])
  }

  @Test func refusesWhatIsNot() throws {
    #expect(try problems { $0.code = "A" } == ["code": .wrongLength(1, allowed: "2...4")])
    #expect(
      try problems { $0.code = "AB12" } == ["code": .mismatch("[A-Z]+[0-9]?")])
    // The whole text must match, its line ends too.
    #expect(try problems { $0.code = "AB\n" } == ["code": .mismatch("[A-Z]+[0-9]?")])
    #expect(try problems { $0.zone = 6 } == ["zone": .outOfRange("1...5")])
    #expect(try problems { $0.price = -0.5 } == ["price": .outOfRange("0.0...")])
    #expect(try problems { $0.price = .nan } == ["price": .notANumber])
    #expect(
      try problems { $0.image = Data(count: 4) }["image"]
        == .wrongLength(4, allowed: "...3"))
    #expect(try problems { $0.seat = 3 } == ["seat": .refused("must be even")])
  }

  @Test func reportsAllAtOnceInOneSentence() throws {
    let fixture = try StoreFixture([Ticket.self])
    let tickets = (0..<2).map { _ in fixture.context.insert(Ticket.self) }
    tickets[0].code = "a"
    tickets[1].seat = 1
    let error = #expect(throws: StoreError.self) { try fixture.context.save() }
    guard case .invalid(let failures)? = error else { return }
    #expect(
      failures.map(\.problem) == [
        .wrongLength(1, allowed: "2...4"), .mismatch("[A-Z]+[0-9]?"), .missing,
        .refused("must be even"),
      ])
    let text = "\(try #require(error))"
    #expect(text.hasPrefix("not saved, values are not allowed: Ticket.code of x-coredata://"))
    #expect(text.contains("does not match '[A-Z]+[0-9]?'") && text.contains("must be even"))
  }

  @Test func checksUpdatesToo() throws {
    let fixture = try StoreFixture([Ticket.self])
    let ticket = fixture.context.insert(Ticket.self)
    ticket.code = "AB"
    try fixture.context.save()
    ticket.zone = 9
    #expect(
      throws: StoreError.invalid([
        .init(objectID: ticket.objectID, property: "zone", problem: .outOfRange("1...5"))
      ])
    ) { try fixture.context.save() }
    ticket.zone = 3
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZZONE FROM ZTICKET") == ["3"])
  }
}
