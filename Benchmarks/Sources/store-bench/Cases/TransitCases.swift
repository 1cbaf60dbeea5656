// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import Foundation
import ObjectStore
import TransitModel

/// Searches in the city of the examples, each beside its own SQL through the C API.
enum TransitCases {
  private typealias Stop = TransitModel.Stop

  static func all(_ workspace: Workspace) throws -> [Comparison] {
    let path = try workspace.transitStore()
    let box = try inBox()
    return [
      try search("Geo fetch, \(Cell.count(Double(workspace.scale.stops))) stops", box, path, 500),
      try search(
        "Geo fetch with the departures subquery, \(Cell.count(Double(workspace.scale.stopTimes))) "
          + "stop times", box && departs(), path, 50),
      try text(path),
    ]
  }

  private static func inBox() throws -> FetchPredicate {
    guard let box = SearchBox.around(.goerlitzerBahnhof, radius: 80).first else {
      preconditionFailure("no box around a point away from the meridian of 180°")
    }
    return try FetchPredicate(
      "(%@ <= longitude) AND (longitude <= %@) AND (%@ <= latitude) AND (latitude <= %@)",
      box.west, box.east, box.south, box.north)
  }

  private static func departs() throws -> FetchPredicate {
    try FetchPredicate(
      "SUBQUERY(stopTimes, $x, (%@ <= $x.departureTime) && ($x.departureTime <= %@)).@count != 0",
      Int64(30_600), Int64(31_800))
  }

  private static func request(_ predicate: FetchPredicate) -> FetchRequest<Stop> {
    var request = FetchRequest<Stop>(predicate: predicate)
    request.fetchLimit = StopSearch.limit
    request.returnsObjectsAsFaults = false
    return request
  }

  private static func search(
    _ title: String, _ predicate: FetchPredicate, _ path: String, _ repeats: Int
  ) throws -> Comparison {
    let captured = try CapturedStatement.first { instruments in
      let store = try StopStore(path: path, version: .after, instruments: instruments)
      _ = try store.container.newBackgroundContext().fetch(request(predicate))
    }
    let database = try CDatabase(path: path)
    let statement = try captured.prepare(database)
    let store = try StopStore(path: path, version: .after)
    return Comparison(
      title: title, units: (repeats, "fetch"),
      contenders: [
        Contender(name: "C API, the same SQL") {
          var sum = 0
          for _ in 0..<repeats {
            captured.bind(statement)
            sum &+= stops(statement)
          }
          withExtendedLifetime(database) {}
          return sum
        },
        Contender(name: "ObjectStore", goal: .atMost(1.15)) {
          let context = store.container.newBackgroundContext()
          var sum = 0
          for _ in 0..<repeats {
            sum &+= try context.fetch(request(predicate)).reduce(0) { $0 &+ Int($1.identifier) }
          }
          return sum
        },
      ])
  }

  /// Reads every value, and adds up the identifiers.
  private static func stops(_ statement: OpaquePointer) -> Int {
    var stops: [(CStop, normalizedName: String)] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      stops.append((CStop(statement), String(cString: sqlite3_column_text(statement, 7))))
    }
    sqlite3_reset(statement)
    return stops.reduce(0) { $0 &+ Int($1.0.identifier) }
  }

  private static func text(_ path: String) throws -> Comparison {
    let text = "u gorli"
    let captured = try CapturedStatement.first { instruments in
      let store = try StopStore(path: path, version: .after, instruments: instruments)
      _ = try store.run(.named(text, form: .normalized))
    }
    let database = try CDatabase(path: path)
    let statement = try captured.prepare(database)
    let store = try StopStore(path: path, version: .after)
    let theirs = Contender(name: "C API, the SQL of `normalized`", count: 100) {
      for _ in 0..<100 {
        captured.bind(statement)
        _ = stops(statement)
      }
      withExtendedLifetime(database) {}
      return 0
    }
    let ours = TextForm.allCases.map { form in
      let repeats = form == .normalized || form == .terms ? 100 : 5
      return Contender(
        name: "ObjectStore, \(form.rawValue)", goal: form == .normalized ? .atMost(1.3) : nil,
        count: repeats
      ) {
        _ = try store.run(.named(text, form: form), times: repeats)
        return 0
      }
    }
    return Comparison(
      title: "Text search for “\(text)” in its four forms", units: (100, "search"),
      contenders: [theirs] + ours,
      remark: {
        let rows = try TextForm.allCases.map { form in
          "\(form.rawValue) \(try store.run(.named(text, form: form)).found.count)"
        }
        return
          "Stops found: \(rows.joined(separator: ", ")). `normalized` and `terms` are ranges of "
          + "an index; `begins` and `contains` compare every name."
      })
  }
}
