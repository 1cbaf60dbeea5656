// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

private struct Card: Entity {
  let number = Attribute<Int?>("number")
  let suit = Attribute<String?>("suit")
  let note = Attribute<String?>("note")
  let image = Attribute<Data?>("image", allowsExternalBinaryDataStorage: true)
  static let uniquenessConstraints = [UniquenessConstraint<Card>(\.suit, \.number)]
}

/// Unique values that pass from one object to another in one save.
@Suite struct UniqueValuesTests {
  private let fixture: StoreFixture
  private let cards: [ManagedObject<Card>]

  private var context: ManagedObjectContext { fixture.context }

  init() throws {
    var options = StoreOptions()
    options.externalDataThreshold = 10
    fixture = try StoreFixture([Card.self], options: options)
    cards = (1...3).map { [context = fixture.context] number in
      let card = context.insert(Card.self)
      (card.number, card.suit, card.note) = (number, "hearts", "\(number)")
      return card
    }
    try context.save()
  }

  private func rows() throws -> [String] {
    try fixture.rows("SELECT ZNOTE, ZNUMBER FROM ZCARD ORDER BY ZNOTE")
  }

  @Test func objectsExchangeTheirValues() throws {
    (cards[0].number, cards[1].number, cards[2].number) = (2, 3, 1)
    cards[0].image = Data(repeating: 7, count: 100)
    try context.save()
    #expect(try rows() == ["1|2", "2|3", "3|1"])
    #expect(!context.hasChanges && cards[0].number == 2)
    // The file of the row that was put off is written once.
    #expect(try fixture.container.orphanedExternalFiles().isEmpty)
    #expect(try fixture.rows("SELECT count(DISTINCT Z_OPT), max(Z_OPT) FROM ZCARD") == ["1|2"])
  }

  @Test func aNewObjectHasTheValuesOfADeletedOne() throws {
    context.delete(cards[0])
    let card = context.insert(Card.self)
    (card.number, card.suit, card.note) = (1, "hearts", "new")
    card.image = Data(repeating: 7, count: 100)
    try context.save()
    #expect(try rows() == ["2|2", "3|3", "new|1"])
    #expect(card.image?.count == 100 && card.objectID.primaryKey == 4)
  }

  @Test func aChangedObjectHasTheValuesOfADeletedOneAndANewOneItsOwn() throws {
    context.delete(cards[2])
    cards[1].number = 3
    let card = context.insert(Card.self)
    (card.number, card.suit, card.note) = (2, "hearts", "new")
    try context.save()
    #expect(try rows() == ["1|1", "2|3", "new|2"])
  }

  @Test func valuesThatStayTakenAreRefusedAndNothingIsSaved() throws {
    context.delete(cards[0])
    cards[1].number = 3
    let card = context.insert(Card.self)
    (card.number, card.suit, card.note) = (1, "hearts", "new")
    #expect(throws: StoreError.notUnique(entity: "Card", properties: ["suit", "number"])) {
      try context.save()
    }
    #expect(try rows() == ["1|1", "2|2", "3|3"])
    cards[1].number = 4
    try context.save()
    #expect(try rows() == ["2|4", "3|3", "new|1"])
  }

  @Test func anExchangeWithAnotherWritersVersionIsAConflict() throws {
    let other = fixture.container.newBackgroundContext()
    let card = try #require(try other.fetch(FetchRequest<Card>(where: { $0.note == "1" })).first)
    card.suit = "spades"
    try other.save()
    (cards[0].number, cards[1].number) = (2, 1)
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try rows() == ["1|1", "2|2", "3|3"])
    context.mergePolicy = .objectTrump
    try context.save()
    #expect(try rows() == ["1|2", "2|1", "3|3"])
  }
}
