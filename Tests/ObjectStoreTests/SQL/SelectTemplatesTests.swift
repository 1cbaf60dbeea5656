// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ObjectStore

@Suite struct SelectTemplatesTests {
  private let model: ManagedObjectModel
  private let templates: SelectTemplates

  init() throws {
    model = try ManagedObjectModel(entities: [Place.self, Visit.self])
    templates = SelectTemplates(entityCount: model.entities.count)
  }

  struct Place: Entity {
    let name = Attribute<String>("name")
    let number = Attribute<Int64>("number")
    let height = Attribute<Double?>("height")
    let isOpen = Attribute<Bool>("isOpen")
    let opened = Attribute<Date?>("opened")
    let key = Attribute<UUID?>("key")
    let price = Attribute<Decimal?>("price")
    let visits: ToMany<Visit> = ToMany("visits", inverse: \.place)
  }

  struct Visit: Entity {
    let guests = Attribute<Int64>("guests")
    let place = ToOne<Place>("place", inverse: \.visits)
  }

  /// Numbers, dates and texts of all kinds: letters of two spellings, nothing, the last of a range.
  private static let values: [StoreValue] = [
    .integer(1), .integer(.max), .integer(8_070_605_040_302_010), .double(1.5), .double(.nan),
    .double(-.infinity), .bool(true), .bool(false), .null, .string("a"), .string("Ab c"),
    .string(""), .string("ö"), .string("o\u{308}"), .string("\u{7f}"), .string("\u{10FFFF}"),
    .string("a\0b"), .string("PROBE 0 OF A TEMPLATE"), .string("%_*?"),
    .date(Date(timeIntervalSinceReferenceDate: 7)), .uuid(UUID()), .decimal(1.25),
    .data(Data([1])), .url(URL(fileURLWithPath: "/a")),
  ]

  private static func predicates(_ value: StoreValue, _ other: StoreValue) -> [FetchPredicate] {
    let operands: [FetchPredicate.Expression] = [
      "name", "number", "height", "isOpen", "opened", "key", "price",
    ].map { .path(.init([$0])) }
    let constant = FetchPredicate.Expression.constant(value)
    let list = FetchPredicate.Expression.list([constant, .constant(other)])
    var predicates: [FetchPredicate] = []
    for operand in operands {
      for comparator in FetchPredicate.Comparator.allCases {
        let right = comparator == .isIn || comparator == .between ? list : constant
        for options in [[], .normalized, [.caseInsensitive, .diacriticInsensitive]]
          as [FetchPredicate.StringOptions]
        {
          predicates.append(.comparison(.init(operand, comparator, right, options: options)))
        }
        predicates.append(.comparison(.init(right, comparator, operand)))
      }
      predicates.append(
        .not(.comparison(.init(operand, .less, constant)))
          && .comparison(.init(operand, .equal, .constant(other))))
    }
    predicates.append(
      .comparison(
        .init(.path(.init(["visits", "guests"])), .greater, constant, quantifier: .any)))
    predicates.append(.comparison(.init(constant, .less, .constant(other))))
    return predicates
  }

  private func outcome(_ body: () throws(FetchPredicateError) -> SelectStatement) -> String {
    do {
      let statement = try body()
      return statement.sql + " \(statement.bindings)"
    } catch { return "\(error)" }
  }

  @Test(arguments: values.indices)
  func templatesWriteTheSameSQLAsNoTemplates(_ index: Int) throws {
    let entity = try #require(model.entity(named: "Place"))
    for other in [Self.values[0], Self.values[3], Self.values[9], Self.values[12]] {
      let request = { (predicate: FetchPredicate) in
        SelectRequest(predicate: predicate, limit: 5)
      }
      let seen = zip(
        Self.predicates(Self.values[index], other), Self.predicates(other, Self.values[index]))
      for (predicate, next) in seen {
        // Seen, learned, and used with its own values and with others.
        for predicate in [predicate, predicate, predicate, next, predicate] {
          let expected = outcome { () throws(FetchPredicateError) in
            try request(predicate).statement(of: entity)
          }
          let actual = outcome { () throws(FetchPredicateError) in
            try templates.statement(request(predicate), of: entity)
          }
          #expect(actual == expected)
        }
      }
    }
  }

  struct Vehicle: Entity {
    let line = Attribute<String>("line")
  }

  struct Bus: Entity {
    typealias Parent = Vehicle
    let doors = Attribute<Int64>("doors", default: 2)
  }

  @Test func entitiesOfOneTableHaveStatementsOfTheirOwn() throws {
    let model = try ManagedObjectModel(entities: [Vehicle.self, Bus.self])
    let templates = SelectTemplates(entityCount: model.entities.count)
    let request = SelectRequest(
      predicate: .comparison(.init(.path(.init(["line"])), .equal, .constant(.string("a")))))
    for _ in 0..<3 {
      for entity in model.entities {
        #expect(try templates.statement(request, of: entity) == request.statement(of: entity))
      }
    }
  }

  @Test func keepsRequestsApart() throws {
    let entity = try #require(model.entity(named: "Place"))
    let name = FetchPredicate.comparison(
      .init(.path(.init(["name"])), .equal, .constant(.string("a"))))
    let number = FetchPredicate.comparison(
      .init(.path(.init(["number"])), .equal, .constant(.integer(1))))
    var requests: [SelectRequest] = []
    for predicate in [nil, name, number, name && number, number && name, name || number] {
      for result in [SelectRequest.Result.objects, .objectIDs, .count] {
        let terms = result == .count ? [] : [SortTerm(["name"])]
        requests.append(SelectRequest(result: result, predicate: predicate))
        requests.append(SelectRequest(result: result, predicate: predicate, terms: terms))
        requests.append(SelectRequest(result: result, predicate: predicate, limit: 1))
        requests.append(SelectRequest(result: result, predicate: predicate, limit: 1, offset: 2))
      }
    }
    // As many as are kept, and many more.
    for group in [Array(requests.prefix(8)), requests] {
      for _ in 0..<3 {
        for request in group {
          #expect(
            try templates.statement(request, of: entity) == request.statement(of: entity))
        }
      }
    }
  }
}
