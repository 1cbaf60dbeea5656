// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import Testing

/// Values that a batch refuses, as a save does.
@Suite struct BatchValueTests {
  struct Sample: Entity {
    let name = Attribute<String>("name")
    let number = Attribute<Double>("number", default: 0)
    let float = Attribute<Float?>("float")
    let date = Attribute<Date?>("date")
    let price = Attribute<Decimal?>("price")
    static let uniquenessConstraints = [UniquenessConstraint<Sample>(\.name)]
  }

  private static let refused: [(String, StoreValue)] = [
    ("number", .double(.nan)), ("float", .double(.nan)),
    ("date", .date(Date(timeIntervalSinceReferenceDate: .nan))), ("price", .decimal(.nan)),
  ]

  private let fixture: StoreFixture
  private var context: ManagedObjectContext { fixture.context }

  init() throws {
    fixture = try StoreFixture([Sample.self])
    try fixture.context.batchInsert(Sample.self, count: 1) { row, _ in row.name = "one" }
  }

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
    } catch {
      return "\(error)"
    }
    return "nothing was refused"
  }

  @Test func insertingRefusesNaN() throws {
    let date = Date(timeIntervalSinceReferenceDate: .nan)
    for fill: (BatchRow<Sample>) -> Void in [
      { $0.number = .nan }, { $0.float = .nan }, { $0.date = date }, { $0.price = .nan },
    ] {
      let message = message {
        try context.batchInsert(Sample.self, count: 1) { row, _ in
          row.name = "two"
          fill(row)
        }
      }
      #expect(message.contains("is not a number"), "\(message)")
    }
    for (name, value) in Self.refused {
      let message = message {
        try context.batchInsert(
          entityNamed: "Sample", [["name": .string("two"), name: value]])
      }
      #expect(message.contains("Sample.\(name) ") && message.contains("is not a number"))
    }
    #expect(try context.count(FetchRequest<Sample>()) == 1)
  }

  @Test func updatingRefusesNaN() throws {
    for (name, value) in Self.refused {
      var update = BatchUpdateRequest<Sample>()
      update.set(name, to: value)
      #expect(
        message { try context.execute(update) }
          == "Sample.\(name) is not a number; set another value")
    }
  }

  @Test func updatingRefusesNilForARequiredAttribute() throws {
    var update = BatchUpdateRequest<Sample>()
    update.set("number", to: .null)
    #expect(
      message { try context.execute(update) } == "Sample.number is missing; set another value")
    #expect(try fixture.rows("SELECT ZNUMBER FROM ZSAMPLE") == ["0.0"])
  }

  @Test func aDecimalWithTooManyDigitsIsNamed() throws {
    let price = try #require(Decimal(string: "1.23456789012345678"))
    let sample = try #require(try context.fetch(FetchRequest<Sample>()).first)
    var update = BatchUpdateRequest<Sample>()
    update.set(\.price, to: price)
    for message in [
      message { try sample.setValue(.decimal(price), forKey: "price") },
      message { try sample.validateValue(.decimal(price), forKey: "price") },
      message { try context.execute(update) },
      message {
        try context.batchInsert(
          entityNamed: "Sample", [["name": .string("two"), "price": .decimal(price)]])
      },
    ] {
      #expect(message.contains("1.23456789012345678 has more than the 15 digits"), "\(message)")
    }
  }

  @Test func anUpsertCountsARowThatItWritesTwiceOnce() throws {
    let result = try context.batchInsert(Sample.self, count: 3, onConflict: .update) { row, index in
      row.name = ["one", "new", "new"][index]
    }
    #expect(result.count == 2 && result.objectIDs.count == 2)
    #expect(result.changes.inserted.count == 1 && result.changes.updated.count == 1)
  }
}
