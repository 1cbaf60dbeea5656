// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreEvents
import TestSupport
import Testing

@Suite struct DictionaryTests {
  /// Stops a, b and a, at 1, 2 and 4 degrees; the first has two stop times, the last has one.
  private func makeStore() throws -> StoreFixture {
    let fixture = try StoreFixture()
    for (index, (name, stopTimes)) in [("a", 2), ("b", 0), ("a", 1)].enumerated() {
      let stop = fixture.makeStop(name, identifier: Int64(index), stopTimes: stopTimes)
      stop.latitude = Double(1 << index)
    }
    try fixture.context.save()
    fixture.observer.removeAll()
    return fixture
  }

  /// The SQL of a fetch of dictionaries, and its rows.
  private func expect<E>(
    _ fixture: StoreFixture, _ request: FetchRequest<E>, _ sql: String, _ rows: [[StoreValue]],
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws {
    fixture.observer.removeAll()
    #expect(
      try fixture.context.fetchDictionaries(request).map(\.values) == rows,
      sourceLocation: sourceLocation)
    #expect(fixture.observer.sql == [sql], sourceLocation: sourceLocation)
  }

  @Test func readsOnlyTheRequestedColumns() throws {
    let fixture = try makeStore()
    var request = FetchRequest<Stop>(where: { $0.latitude > 1 })
    request.propertiesToFetch = [FetchedProperty(\.name), "identifier", .objectID]
    request.sortDescriptors = [.descending(\.identifier)]
    let rows = try fixture.context.fetchDictionaries(request)
    #expect(
      fixture.observer.sql == [
        "SELECT t0.ZNAME, t0.ZIDENTIFIER, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZLATITUDE > ?  "
          + "ORDER BY t0.ZIDENTIFIER DESC"
      ])
    #expect(rows.map(\.name) == ["a", "b"])
    #expect(rows.map(\.identifier) == [2, 1])
    #expect(rows[0].names == ["name", "identifier", "objectID"])
    #expect(rows[0]["identifier"] == .integer(2))
    #expect(rows[0].value("identifier", as: Int.self) == 2)
    #expect(rows[0]["latitude"] == nil)
    #expect(
      try fixture.context.object(with: #require(rows[0].objectID)).value(forKey: "name")
        == .string("a"))
    guard case .fetchEnd(let end) = fixture.observer.events.first(where: { $0.kind == .fetchEnd })
    else { return #expect(Bool(false)) }
    #expect(end.kind == .dictionaries && end.rows == 2)
  }

  @Test func groupsAndKeepsTheGroupsThatHave() throws {
    let fixture = try makeStore()
    var request = FetchRequest<Stop>()
    request.propertiesToFetch = ["name", .count(as: "stops"), .max(\.latitude, as: "north")]
    request.propertiesToGroupBy = ["name"]
    try expect(
      fixture, request,
      "SELECT t0.ZNAME, COUNT( t0.Z_PK), max( t0.ZLATITUDE) FROM ZSTOP t0 GROUP BY  t0.ZNAME",
      [[.string("a"), .integer(2), .double(4)], [.string("b"), .integer(1), .double(2)]])
    for format in ["$stops > 1", "stops > 1", "stops > 1 AND name != 'b' AND north == 4.0"] {
      request.havingPredicate = try FetchPredicate(format: format)
      #expect(
        try fixture.context.fetchDictionaries(request).map(\.values) == [
          [.string("a"), .integer(2), .double(4)]
        ], "\(format)")
    }
    request.predicate = try FetchPredicate("latitude < 4")
    request.havingPredicate = try FetchPredicate("$stops == 1")
    request.sortDescriptors = [SortDescriptor("north", ascending: false)]
    request.fetchOffset = 1
    try expect(
      fixture, request,
      "SELECT t0.ZNAME, COUNT( t0.Z_PK) AS __var0, max( t0.ZLATITUDE) AS __var1 FROM ZSTOP t0 "
        + "WHERE  t0.ZLATITUDE < ?  GROUP BY  t0.ZNAME HAVING __var0 = ? ORDER BY __var1 DESC "
        + "LIMIT -1 OFFSET 1",
      [[.string("a"), .integer(1), .double(1)]])
  }

  @Test func computesOfAllObjects() throws {
    let fixture = try makeStore()
    var request = FetchRequest<Stop>()
    request.propertiesToFetch = [
      .count(\.note, as: "notes"), .sum(\.latitude, as: "sum"), .min("name", as: "first"),
      .max(\.identifier, as: "last"), .average(\.identifier, as: "mean"),
    ]
    let sql =
      "SELECT COUNT( t0.ZNOTE), total( t0.ZLATITUDE), min( t0.ZNAME), max( t0.ZIDENTIFIER), "
      + "avg( t0.ZIDENTIFIER) FROM ZSTOP t0"
    try expect(
      fixture, request, sql,
      [[.integer(0), .double(7), .string("a"), .integer(2), .double(1)]])
    request.predicate = try FetchPredicate("name == 'z'")
    try expect(
      fixture, request, sql + " WHERE  t0.ZNAME = ?",
      [[.integer(0), .double(0), .null, .null, .null]])
  }

  @Test func countsTheObjectsOfARelationship() throws {
    let fixture = try makeStore()
    var request = FetchRequest<Stop>()
    request.propertiesToFetch = [
      "name", .count(\.stopTimes, as: "times"), .max("stopTimes.headsign", as: "last"),
    ]
    request.propertiesToGroupBy = ["name"]
    try expect(
      fixture, request,
      "SELECT t0.ZNAME, COUNT( t1.Z_PK), max( t1.ZHEADSIGN) FROM ZSTOP t0 "
        + "LEFT OUTER JOIN ZSTOPTIME t1 ON t0.Z_PK = t1.ZSTOP GROUP BY  t0.ZNAME",
      [[.string("a"), .integer(3), .string("1")], [.string("b"), .integer(0), .null]])
  }

  @Test func countsTheObjectsOfAManyToMany() throws {
    let fixture = try StoreFixture([
      Conversation.self, Label.self, Owner.self, Guard.self,
    ])
    let labels = ["x", "y"].map { text in
      let label = fixture.context.insert(Label.self)
      label.text = text
      return label
    }
    for count in 0...2 {
      let conversation = fixture.context.insert(Conversation.self)
      conversation.title = "\(count)"
      for label in labels[..<count] { conversation.labels.append(label) }
    }
    try fixture.context.save()
    var request = FetchRequest<Conversation>()
    request.propertiesToFetch = [
      "title", .count(\.labels, as: "n"), .min("labels.text", as: "first"),
    ]
    request.propertiesToGroupBy = ["title"]
    let rows = try fixture.context.fetchDictionaries(request)
    #expect(rows.map { $0.value("n", as: Int.self) } == [0, 1, 2])
    #expect(rows.map { $0["first"] } == [.null, .string("x"), .string("x")])
  }

  @Test func followsToOneRelationships() throws {
    let fixture = try makeStore()
    var request = FetchRequest<StopTime>()
    request.propertiesToFetch = ["stop.name", "stop", .count(as: "n")]
    request.propertiesToGroupBy = ["stop.name", "stop"]
    request.sortDescriptors = [SortDescriptor("n", ascending: false)]
    let rows = try fixture.context.fetchDictionaries(request)
    #expect(
      fixture.observer.sql == [
        "SELECT t1.ZNAME, t0.ZSTOP, COUNT( t0.Z_PK) AS __var0 FROM ZSTOPTIME t0 "
          + "LEFT OUTER JOIN ZSTOP t1 ON t0.ZSTOP = t1.Z_PK GROUP BY  t1.ZNAME,  t0.ZSTOP "
          + "ORDER BY __var0 DESC"
      ])
    #expect(rows.map { $0["n"] } == [.integer(2), .integer(1)])
    guard case .object(let id) = rows[0]["stop"] else { return #expect(Bool(false)) }
    #expect(id.entityName == "Stop")
    #expect(try fixture.context.existingObject(with: id).value(forKey: "identifier") == .integer(0))
  }

  @Test func returnsEqualOnesOnce() throws {
    let fixture = try makeStore()
    var request = FetchRequest<Stop>()
    request.propertiesToFetch = ["name"]
    request.sortDescriptors = [SortDescriptor(\.name)]
    request.returnsDistinctResults = true
    try expect(
      fixture, request, "SELECT DISTINCT t0.ZNAME FROM ZSTOP t0 ORDER BY t0.ZNAME",
      [[.string("a")], [.string("b")]])
  }

  @Test func bindsValuesInTheOrderOfTheText() throws {
    let fixture = try makeStore()
    let later = FetchPredicate.Subquery(
      .init(["stopTimes"]), variable: "x", where: try FetchPredicate(format: "$x.headsign == '1'"))
    var request = FetchRequest<Stop>(predicate: try FetchPredicate("identifier < 2"))
    request.propertiesToFetch = [
      "identifier",
      FetchedProperty(.collection(.count, of: .subquery(later), property: []), as: "n"),
    ]
    request.sortDescriptors = [SortDescriptor(\.identifier)]
    let rows = try fixture.context.fetchDictionaries(request).map(\.values)
    #expect(rows == [[.integer(0), .integer(1)], [.integer(1), .integer(0)]])
  }

  @Test func holdsAllValuesByDefault() throws {
    let fixture = try StoreFixture([Everything.self])
    _ = fixture.context.insert(Everything.self)
    let object = fixture.context.insert(Everything.self)
    let uuid = UUID()
    object.bool = true
    object.data = Data([1, 2])
    object.date = Date(timeIntervalSinceReferenceDate: 1.5)
    object.double = 0.5
    object.int32 = -7
    object.string = "ö"
    object.url = URL(string: "https://a.org/b")
    object.uuid = uuid
    try fixture.context.save()
    var request = FetchRequest<Everything>()
    request.sortDescriptors = [SortDescriptor(\.int32)]
    let rows = try fixture.context.fetchDictionaries(request)
    let names =
      "bool data date double float int int16 int32 int64 string url uuid"
    #expect(rows[0].names.joined(separator: " ") == names)
    #expect(rows[0].values.count { $0 == .null } == 11)
    #expect(rows[0].string == nil && rows[0].int == 5)
    let url = try #require(object.url)
    let values: [StoreValue] = [
      .bool(true), .data(Data([1, 2])), .date(Date(timeIntervalSinceReferenceDate: 1.5)),
      .double(0.5), .null, .integer(5), .null, .integer(-7), .null, .string("ö"), .url(url),
      .uuid(uuid),
    ]
    #expect(rows[1].values == values)
    #expect(rows[1].uuid == uuid && rows[1].bool == true && rows[1].url == url)
  }

  @Test func neverHoldsUnsavedChanges() throws {
    let fixture = try makeStore()
    fixture.makeStop("c")
    for stop in fixture.context.insertedObjects { try stop.setValue(.string("d"), forKey: "name") }
    var request = FetchRequest<Stop>()
    request.propertiesToFetch = [.count(as: "n")]
    #expect(try fixture.context.fetchDictionaries(request)[0]["n"] == .integer(3))
    #expect(try fixture.context.count(FetchRequest<Stop>()) == 4)
  }

  @Test func refusesColumnsWithSeveralValuesInAGroup() throws {
    func request(_ change: (inout FetchRequest<Stop>) -> Void) -> FetchRequest<Stop> {
      var request = FetchRequest<Stop>()
      change(&request)
      return request
    }
    let having = try FetchPredicate("latitude > 1")
    let refused = [
      request { $0.propertiesToFetch = ["name", .count(as: "n")] },
      request {
        $0.propertiesToFetch = ["name", "identifier"]
        $0.propertiesToGroupBy = ["name"]
      },
      request {
        $0.propertiesToFetch = ["name"]
        $0.propertiesToGroupBy = ["name"]
        $0.sortDescriptors = [SortDescriptor(\.latitude)]
      },
      request {
        $0.propertiesToFetch = ["name"]
        $0.propertiesToGroupBy = ["name"]
        $0.havingPredicate = having
      },
      request {
        $0.propertiesToFetch = ["name"]
        $0.havingPredicate = having
      },
      request { $0.propertiesToFetch = ["name", "name"] },
      request { $0.propertiesToFetch = [.sum("name", as: "n")] },
      request { $0.propertiesToFetch = ["nmae"] },
      request { $0.propertiesToFetch = ["stopTimes"] },
      // Each stop would count once for each of its stop times.
      request { $0.propertiesToFetch = [.count(as: "n"), .count(\.stopTimes, as: "times")] },
    ]
    let fixture = try makeStore()
    for request in refused {
      #expect(throws: FetchPredicateError.self, "\(request.propertiesToFetch)") {
        try fixture.context.fetchDictionaries(request)
      }
    }
    #expect(throws: FetchPredicateError.self) { try fixture.context.fetch(refused[3]) }
    #expect(throws: FetchPredicateError.self) { try fixture.context.fetchObjectIDs(refused[3]) }
  }
}
