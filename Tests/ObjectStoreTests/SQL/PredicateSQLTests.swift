// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import Testing

@testable import ObjectStore

/// A format over Stop, the condition that it compiles to, and the stops that it finds.
struct PredicateCase: CustomTestStringConvertible, Sendable {
  var format: String
  var condition: String
  var stops: [Int64]
  var testDescription: String { format }

  init(_ format: String, _ condition: String, _ stops: [Int64]) {
    (self.format, self.condition, self.stops) = (format, condition, stops)
  }
}

@Suite struct PredicateSQLTests {
  static let cases: [PredicateCase] = [
    .init("identifier > 2", " t0.ZIDENTIFIER > ?", [3, 4]),
    .init("2 < identifier", "? <  t0.ZIDENTIFIER", [3, 4]),
    .init("name == nil", " t0.ZNAME IS NULL", [4]),
    .init("nil != name", " t0.ZNAME IS NOT NULL", [1, 2, 3]),
    .init("name != 'Alex'", " t0.ZNAME <> ?", [2, 3]),
    .init("NOT name == 'Alex'", " NOT ( t0.ZNAME = ?)", [2, 3]),
    .init("identifier BETWEEN {2, 3}", "(t0.ZIDENTIFIER Between ? AND ?)", [2, 3]),
    .init("identifier IN {1, 3}", " t0.ZIDENTIFIER IN (?, ?)", [1, 3]),
    .init("identifier IN {}", " t0.ZIDENTIFIER IN ()", []),
    .init("name IN {'Alex', nil}", "( t0.ZNAME IN (?) OR  t0.ZNAME IS NULL)", [1, 4]),
    .init("NOT name IN {'Alex', nil}", " NOT ( t0.ZNAME IN (?) OR  t0.ZNAME IS NULL)", [2, 3]),
    .init(
      "identifier > 1 AND identifier < 4 AND isOpen == YES",
      "( t0.ZIDENTIFIER > ? AND  t0.ZIDENTIFIER < ? AND  t0.ZISOPEN = ?)", [2]),
    .init(
      "identifier == 1 OR (identifier > 1 AND longitude < 13.2)",
      "( t0.ZIDENTIFIER = ? OR ( t0.ZIDENTIFIER > ? AND  t0.ZLONGITUDE < ?))", [1, 2]),
    .init("TRUEPREDICATE", "1", [1, 2, 3, 4]),
    .init("FALSEPREDICATE", "0", []),
    .init("longitude > latitude", " t0.ZLONGITUDE >  t0.ZLATITUDE", [3]),
    .init("name BEGINSWITH 'Al'", "( t0.ZNAME >= ? AND  t0.ZNAME < ?)", [1]),
    .init("name BEGINSWITH ''", " t0.ZNAME >= ?", [1, 2, 3]),
    .init("NOT name BEGINSWITH ''", " NOT ( t0.ZNAME >= ?)", []),
    .init("name CONTAINS 'rl'", "instr( t0.ZNAME, ?) > 0", [2]),
    .init("name CONTAINS 'ö'", "(instr( t0.ZNAME, ?) > 0 OR instr( t0.ZNAME, ?) > 0)", [2]),
    .init("name ENDSWITH 'x'", "NSCoreDataStringSearch( t0.ZNAME, ?, 12, 0)", [1]),
    .init("name BEGINSWITH[cd] 'gO'", "NSCoreDataStringSearch( t0.ZNAME, ?, 137, 0)", [2]),
    .init("name CONTAINS[c] 'LEX'", "NSCoreDataStringSearch( t0.ZNAME, ?, 1, 0)", [1]),
    .init("name CONTAINS[d] 'orl'", "NSCoreDataStringSearch( t0.ZNAME, ?, 128, 0)", [2]),
    .init("name LIKE[cd] '?orl*z'", "NSCoreDataLike( t0.ZNAME, ?, 129, 0)", [2]),
    .init(
      "name ==[cd] 'gorlitz'", "NSCoreDataStringFold( t0.ZNAME, 129) = ?", [2]),
    .init("'Alexander' CONTAINS name", "instr(?,  t0.ZNAME) > 0", [1]),
    .init("SELF == %@", " t0.Z_PK = ?", [2]),
    .init("SELF IN %@", " t0.Z_PK IN (?)", [2]),
    .init("page == 'https://a.org/x'", " t0.ZPAGE = ?", [1]),
    .init(
      "stopTimes.@count > 1",
      "(SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP) ) > ?", [1]),
    .init(
      "tags.@count == 0",
      "(SELECT COUNT(t1.Z_3TAGS) FROM Z_1TAGS t1 WHERE (t0.Z_PK = t1.Z_1STOPS) ) = ?", [2, 4]),
    .init(
      "SUBQUERY(stopTimes, $x, 50 <= $x.departureTime AND $x.departureTime <= 100).@count != 0",
      "(SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND "
        + "((? <=  t1.ZDEPARTURETIME AND  t1.ZDEPARTURETIME <= ?))) ) <> ?", [1]),
    .init(
      "SUBQUERY(stopTimes, $x, $x.headsign == name).@count == 1",
      "(SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND "
        + "( t1.ZHEADSIGN =  t0.ZNAME)) ) = ?", [1]),
    .init(
      "SUBQUERY(stopTimes, $x, $x.stop.name == 'Alex').@count > 0",
      "(SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 JOIN ZSTOP t2 ON t1.ZSTOP = t2.Z_PK "
        + "WHERE (t0.Z_PK = t1.ZSTOP AND ( t2.ZNAME = ?)) ) > ?", [1]),
    .init(
      "SUBQUERY(tags, $t, $t.title == 'old').@count > 0",
      "(SELECT COUNT(t1.Z_PK) FROM ZTAG t1 JOIN Z_1TAGS t2 ON t1.Z_PK = t2.Z_3TAGS "
        + "WHERE (t0.Z_PK = t2.Z_1STOPS AND ( t1.ZTITLE = ?)) ) > ?", [1, 3]),
    .init(
      "ANY stopTimes.departureTime > 100",
      "EXISTS (SELECT 1 FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND "
        + "( t1.ZDEPARTURETIME > ?)) )", [2]),
    .init(
      "NONE tags.title == 'old'",
      " NOT (EXISTS (SELECT 1 FROM ZTAG t1 JOIN Z_1TAGS t2 ON t1.Z_PK = t2.Z_3TAGS "
        + "WHERE (t0.Z_PK = t2.Z_1STOPS AND ( t1.ZTITLE = ?)) ))", [2, 4]),
  ]

  /// Predicates that Core Data's SQL store refuses, or computes by rules of its own.
  static let computed: [PredicateCase] = [
    .init("identifier + 1 == 3", "( t0.ZIDENTIFIER + ?) = ?", [2]),
    .init(
      "identifier + 1 - 2 * identifier < 0", "( t0.ZIDENTIFIER + ? - (? *  t0.ZIDENTIFIER)) < ?",
      [2, 3, 4]),
    .init("identifier / 2 == 1", "( t0.ZIDENTIFIER / ?) = ?", [2, 3]),
    .init("identifier / 2.0 == 1.5", "( t0.ZIDENTIFIER / ?) = ?", [3]),
    .init("identifier / 0 == nil", "( t0.ZIDENTIFIER / ?) IS NULL", [1, 2, 3, 4]),
    .init("identifier == 1 / 0", " t0.ZIDENTIFIER = ?", []),
    .init(
      "identifier BETWEEN {1 + 1, 6 / 2}", "(t0.ZIDENTIFIER Between ? AND ?)", [2, 3]),
    .init(
      "longitude BETWEEN {latitude - 40, latitude + 40}",
      "(t0.ZLONGITUDE Between ( t0.ZLATITUDE - ?) AND ( t0.ZLATITUDE + ?))", [1, 2, 3]),
    .init(
      "modulus:by:(identifier, 2) == 1", "NSCoreDataModulusBy( t0.ZIDENTIFIER, ?) = ?", [1, 3]),
    .init("bitwiseAnd:with:(identifier, 2) == 2", "( t0.ZIDENTIFIER & ?) = ?", [2, 3]),
    .init("identifier ** 2 == 9", "NSCoreDataRaiseToPower( t0.ZIDENTIFIER, ?) = ?", [3]),
    .init("sqrt(identifier) == 2", "NSCoreDataSqrt( t0.ZIDENTIFIER) = ?", [4]),
    .init("floor:(longitude) == 13", "NSCoreDataFloor( t0.ZLONGITUDE) = ?", [1, 2]),
    .init("uppercase:(name) == 'GÖRLITZ'", "NSCoreDataUppercase( t0.ZNAME) IN (?, ?)", [2]),
    .init("canonical:(name) == 'gorlitz'", "NSCoreDataStringFold( t0.ZNAME, 129) = ?", [2]),
    .init("length(name) == 3", "NSCoreDataLength( t0.ZNAME) = ?", [3]),
    .init("max:({identifier, 3}) == 3", "NSCoreDataMax( t0.ZIDENTIFIER, ?) = ?", [1, 2, 3]),
    .init("noindex:(identifier) == 2", "+ t0.ZIDENTIFIER = ?", [2]),
    .init("CAST(identifier, 'NSString') == '2'", "NSCoreDataString( t0.ZIDENTIFIER) = ?", [2]),
    .init("opened < now()", " t0.ZOPENED < ?", []),
    .init("{1, 2, 3}[1] == identifier", "? =  t0.ZIDENTIFIER", [2]),
    .init(
      "stopTimes[SIZE] == 2",
      "(SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP) ) = ?", [1]),
    .init(
      "stopTimes.@max.departureTime >= 100",
      "(SELECT MAX( t1.ZDEPARTURETIME) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP) ) >= ?", [1, 2]),
    .init(
      "stopTimes.@sum.departureTime == 0",
      "(SELECT total( t1.ZDEPARTURETIME) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP) ) = ?",
      [3, 4]),
    .init(
      "stopTimes.@avg.departureTime == 52.5",
      "(SELECT AVG( t1.ZDEPARTURETIME) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP) ) = ?", [1]),
    .init(
      "min:(tags.title) == 'old'",
      "(SELECT MIN( t1.ZTITLE) FROM ZTAG t1 JOIN Z_1TAGS t2 ON t1.Z_PK = t2.Z_3TAGS "
        + "WHERE (t0.Z_PK = t2.Z_1STOPS) ) = ?", [1, 3]),
    .init(
      "SUBQUERY(stopTimes, $x, $x.headsign == 'Zoo').@max.departureTime == 5",
      "(SELECT MAX( t1.ZDEPARTURETIME) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND "
        + "( t1.ZHEADSIGN = ?)) ) = ?", [1]),
    .init(
      "ALL stopTimes.departureTime > 50",
      " NOT (EXISTS (SELECT 1 FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND "
        + "(( t1.ZDEPARTURETIME > ?) IS NOT TRUE)) ))", [2, 3, 4]),
    .init(
      "ANY stopTimes.headsign == nil",
      "EXISTS (SELECT 1 FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND "
        + "( t1.ZHEADSIGN IS NULL)) )", []),
    .init(
      "NONE tags != nil",
      " NOT (EXISTS (SELECT 1 FROM ZTAG t1 JOIN Z_1TAGS t2 ON t1.Z_PK = t2.Z_3TAGS "
        + "WHERE (t0.Z_PK = t2.Z_1STOPS AND ( t1.Z_PK IS NOT NULL)) ))", [2, 4]),
    .init(
      "ANY tags.stops.name == 'Zoo'",
      "EXISTS (SELECT 1 FROM ZTAG t1 JOIN Z_1TAGS t2 ON t1.Z_PK = t2.Z_3TAGS "
        + "WHERE (t0.Z_PK = t2.Z_1STOPS AND (EXISTS (SELECT 1 FROM ZSTOP t3 JOIN Z_1TAGS t4 "
        + "ON t3.Z_PK = t4.Z_1STOPS WHERE (t1.Z_PK = t4.Z_3TAGS AND ( t3.ZNAME = ?)) ))) )",
      [1, 3]),
    .init(
      "ANY stopTimes.departureTime + identifier == 6",
      "EXISTS (SELECT 1 FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND "
        + "(( t1.ZDEPARTURETIME +  t0.ZIDENTIFIER) = ?)) )", [1]),
    .init("name MATCHES '.*(x|tz)'", "NSCoreDataMatches( t0.ZNAME, ?, 0)", [1, 2]),
    .init("name MATCHES[cd] 'gorl?i.*'", "NSCoreDataMatches( t0.ZNAME, ?, 129)", [2]),
    .init("name LIKE[c] 'g?RLITZ'", "NSCoreDataLike( t0.ZNAME, ?, 1, 0)", [2]),
    .init("name == 'Görlitz'", " t0.ZNAME IN (?, ?)", [2]),
    .init("name == 'Go\\u0308rlitz'", " t0.ZNAME IN (?, ?)", [2]),
    .init("name !=[n] 'Görlitz'", " t0.ZNAME <> ?", [1, 3]),
    .init(
      "name BEGINSWITH 'Gö'",
      "(( t0.ZNAME >= ? AND  t0.ZNAME < ?) OR ( t0.ZNAME >= ? AND  t0.ZNAME < ?))", [2]),
    .init("name ==[l] 'Alex'", "NSCoreDataStringFold( t0.ZNAME, 32) = ?", [1]),
    .init("name <[cl] 'b'", "NSCoreDataStringCompare( t0.ZNAME, ?, 33) < 0", [1]),
  ]

  let model = PredicateModel()

  /// 1 Alex, 2 Görlitz, 3 Zoo, 4 nil.
  private func rows() throws -> PredicateRows {
    let rows = PredicateRows(model)
    let page = try #require(URL(string: "https://a.org/x"))
    let alex = rows.add(
      "Stop",
      [
        "identifier": .integer(1), "longitude": .double(13.1), "latitude": .double(52),
        "name": .string("Alex"), "isOpen": .bool(false), "page": .url(page),
      ])
    let goerlitz = rows.add(
      "Stop",
      [
        "identifier": .integer(2), "longitude": .double(13.1), "latitude": .double(52),
        "name": .string("Görlitz"), "isOpen": .bool(true),
      ])
    let zoo = rows.add(
      "Stop",
      [
        "identifier": .integer(3), "longitude": .double(60), "latitude": .double(52),
        "name": .string("Zoo"), "isOpen": .bool(false),
      ])
    rows.add("Stop", ["identifier": .integer(4)])
    for (time, sign, stop) in [
      (Int64(100), "Alex", alex), (5, "Zoo", alex), (200, "x", goerlitz),
    ] {
      let stopTime = rows.add(
        "StopTime", ["departureTime": .integer(time), "headsign": .string(sign)])
      rows.link(stopTime, to: stop)
    }
    rows.add("StopTime", ["departureTime": .integer(70)])
    let old = rows.add("Tag", ["title": .string("old")])
    rows.link(alex, tag: old)
    rows.link(zoo, tag: old)
    return rows
  }

  @Test(arguments: cases + computed) func compilesAndFinds(_ testCase: PredicateCase) throws {
    let rows = try rows()
    let connection = try model.connection()
    try SQLFunctions.register(on: connection)
    try rows.write(to: connection)
    let second = ManagedObjectID(entityName: "Stop", primaryKey: 2, storeUUID: "S")
    let arguments: [(any PredicateArgument)?] =
      testCase.format.contains("IN %@")
      ? [[second]] : testCase.format.contains("%@") ? [second] : []
    let predicate = try FetchPredicate(format: testCase.format, arguments: arguments)
    let select = try SelectStatement.objectIDs(of: model.stop, where: predicate)
    #expect(select.sql == "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE \(testCase.condition)")
    #expect(try connection.primaryKeys(select) == testCase.stops)
    #expect(try rows.primaryKeys(model.stop, predicate) == testCase.stops)
    let count = try SelectStatement.count(of: model.stop, where: predicate)
    #expect(try connection.primaryKeys(count) == [Int64(testCase.stops.count)])
    let reread = try FetchPredicate(predicate.predicateFormat)
    #expect(reread == predicate)
  }

  @Test func writesTheGeoPredicateAsCoreDataDoes() throws {
    let predicate = try FetchPredicate(
      "%@ <= longitude AND longitude <= %@ AND %@ <= latitude AND latitude <= %@", 13.3, 13.4, 52.4,
      52.5)
    let select = try SelectStatement.objects(of: model.stop, where: predicate, limit: 100)
    #expect(
      select.sql.hasSuffix(
        " FROM ZSTOP t0 WHERE (? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ? AND ? <=  t0.ZLATITUDE "
          + "AND  t0.ZLATITUDE <= ?)  LIMIT 100"))
    #expect(select.bindings == [.double(13.3), .double(13.4), .double(52.4), .double(52.5)])
    _ = try model.connection().prepare(select.sql)
  }

  @Test func followsToOneInsideOr() throws {
    let rows = try rows()
    let connection = try model.connection()
    try rows.write(to: connection)
    let predicate = try FetchPredicate("stop.name == 'Alex' OR departureTime == 70")
    let select = try SelectStatement.objectIDs(of: model.stopTime, where: predicate)
    #expect(
      select.sql == "SELECT 0, t0.Z_PK FROM ZSTOPTIME t0 LEFT OUTER JOIN ZSTOP t1 "
        + "ON t0.ZSTOP = t1.Z_PK WHERE ( t1.ZNAME = ? OR  t0.ZDEPARTURETIME = ?)")
    #expect(try connection.primaryKeys(select) == [1, 2, 4])
    let count = try SelectStatement.objectIDs(
      of: model.stopTime, where: try FetchPredicate("stop.stopTimes.@count < 1"))
    #expect(try connection.primaryKeys(count) == [4])
  }

  @Test func bindsManyValuesAsOne() throws {
    let rows = try rows()
    let connection = try model.connection()
    try rows.write(to: connection)
    for (format, argument) in [
      ("identifier IN %@", Array(Int64(2)...5000) as any PredicateArgument),
      ("name IN %@", (0..<100).map { "a\($0)\"\\\n" } + ["Görlitz", "Zoo"]),
      (
        "SELF IN %@",
        (2...3).map { ManagedObjectID(entityName: "Stop", primaryKey: $0, storeUUID: "") }
          + (100..<200).map { ManagedObjectID(entityName: "Stop", primaryKey: $0, storeUUID: "") }
      ),
    ] {
      let predicate = try FetchPredicate("\(format) AND name != nil", argument)
      let select = try SelectStatement.objectIDs(of: model.stop, where: predicate)
      #expect(select.sql.contains(" IN (SELECT value FROM json_each(?))"))
      #expect(select.bindings.count == 1)
      #expect(try connection.primaryKeys(select) == [2, 3])
    }
  }

  /// JSON has neither blobs nor a NUL, and SQLite rounds its numbers.
  @Test func bindsWhatJSONCannotCarryAsOne() throws {
    let rows = try rows()
    let connection = try model.connection()
    try SQLFunctions.register(on: connection)
    let key = UUID()
    rows.add("Stop", ["name": .string("a\0b"), "key": .uuid(key), "image": .data(Data([0, 255]))])
    try rows.write(to: connection)
    let doubles: [Double] = (0..<100).map { Double($0) + 0.1 }
    let names: [String] = (0..<40).map { "\($0)\0" } + ["a\0b", "Zoo"]
    let keys: [UUID] = (0..<40).map { _ in UUID() } + [key]
    let images: [Data] = (0..<40).map { Data([UInt8($0)]) } + [Data([0, 255])]
    let dates: [Date] = (0..<40).map { Date(timeIntervalSinceReferenceDate: Double($0)) }
    let cases: [(String, any PredicateArgument, [Int64])] = [
      ("longitude IN %@", doubles, [1, 2]), ("name IN %@", names, [3, 5]),
      ("key IN %@", keys, [5]), ("image IN %@", images, [5]), ("opened IN %@", dates, []),
    ]
    for (format, argument, found) in cases {
      let predicate = try FetchPredicate(format, argument)
      let select = try SelectStatement.objectIDs(of: model.stop, where: predicate)
      #expect(select.sql.contains(" IN (SELECT NSCoreDataValue(value) FROM json_each(?))"))
      #expect(select.bindings.count == 1)
      #expect(try connection.primaryKeys(select) == found)
      #expect(try rows.primaryKeys(model.stop, predicate) == found)
    }
  }

  @Test func acceptsThousandsOfTerms() throws {
    let rows = try rows()
    let connection = try model.connection()
    try rows.write(to: connection)
    let terms = (2..<5000).map {
      FetchPredicate.comparison(
        .init(.path(.init(["identifier"])), .equal, .constant(.integer($0))))
    }
    let select = try SelectStatement.objectIDs(of: model.stop, where: .or(terms))
    #expect(select.bindings.count == terms.count)
    #expect(try connection.primaryKeys(select) == [2, 3, 4])
  }

  @Test(arguments: [
    ("identifier == 'x'", "compare it with a number"),
    ("name > 5", "compare it with a string"),
    ("identifier BEGINSWITH 'x'", "a number"),
    ("name.length > 5", "is an attribute"),
    ("stopTimes == nil", "is to-many"),
    ("nmae == 'x'", "did you mean \"name\""),
    ("stopTimes.departuretime.@count == 1", "count the objects of stopTimes"),
    ("name MATCHES '(a'", "not a regular expression"),
    ("name MATCHES 'a)|(b'", "not a regular expression"),
    ("name MATCHES[l] 'a'", "use [cd]"),
    ("name + 1 == 2", "numbers only"),
    ("opened * 2 == 1", "numbers only"),
    ("sqrt(identifier, 2) == 2", "takes one argument"),
    ("lowrcase:(name) == 'x'", "did you mean lowercase:?"),
    ("random() > 0.5", "draw the number first"),
    ("FUNCTION(name, 'length') == 5", "predefined function"),
    ("stopTimes[FIRST] == %@", "write SUBQUERY"),
    ("ANY tags == nil", "write tags.@count == 0"),
    ("ANY name + 1 == 5", "without a to-many relationship"),
    ("tags.@sum.title > 5", "attribute with numbers"),
    ("stopTimes.@max > 5", "attribute with numbers, strings or Dates"),
    ("CAST(key, 'NSString') == 'x'", "NSString of a number"),
    ("$y.name == 'x'", "$y has no value"),
    ("ANY name == 'x'", "not a to-many"),
    ("identifier.@count == 1", "not a to-many"),
  ])
  func refusesWithAWayOut(_ format: String, _ words: String) throws {
    let predicate = try FetchPredicate(
      format: format, arguments: format.contains("%@") ? [nil] : [])
    let error = #expect(throws: FetchPredicateError.self) {
      try SelectStatement.objectIDs(of: model.stop, where: predicate)
    }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test func servesAPrefixByAnIndex() throws {
    let connection = try model.connection()
    let select = try SelectStatement.objectIDs(
      of: model.stop, where: try FetchPredicate("normalizedName BEGINSWITH %@", "u g"))
    let plan = try connection.plan(select.sql)
    #expect(
      plan.map(\.detail).contains {
        $0.contains(
          "SEARCH t0 USING COVERING INDEX ZSTOP_ZNORMALIZEDNAME_INDEX (ZNORMALIZEDNAME>? AND ZNORMALIZEDNAME<?)"
        )
      },
      "\(plan)")
  }
}
