// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import Foundation
import ObjectStore
import TransitModel

/// How time and memory grow with the number of rows.
enum ScaleCases {
  static func fetch(_ workspace: Workspace) throws -> [Comparison] {
    let path = try workspace.transitStore()
    let store = try StopStore(path: path, version: .after)
    let database = try CDatabase(path: path)
    let sizes = [1_000, 10_000, 100_000, 1_000_000, 3_000_000].filter {
      $0 <= workspace.scale.stopTimes
    }
    let contenders = try sizes.flatMap { size -> [Contender] in
      let statement = try database.prepare(
        "SELECT \(CStopTime.columns) FROM ZSTOPTIME LIMIT \(size)")
      // So often that the smallest takes a few milliseconds as well.
      let repeats = max(1, 20_000 / size)
      let number = Cell.count(Double(size))
      return [
        Contender(name: "C API loop, \(number) rows", count: size * repeats) {
          var sum = 0
          for _ in 0..<repeats {
            for time in CStopTime.all(statement) { sum &+= Int(time.departureTime ?? 0) }
          }
          withExtendedLifetime(database) {}
          return sum
        },
        Contender(
          name: "ObjectStore, \(number) rows", reference: "C API loop, \(number) rows",
          count: size * repeats
        ) {
          var sum = 0
          for _ in 0..<repeats { sum &+= try fetch(size, store) }
          return sum
        },
      ]
    }
    return [
      Comparison(
        title:
          "Fetch 1,000 to \(Cell.count(Double(sizes.last ?? 0))) objects, a value of each read",
        units: (sizes[0], "object"), rounds: 7, contenders: contenders)
    ]
  }

  private static func fetch(_ size: Int, _ store: StopStore) throws -> Int {
    let context = store.container.newBackgroundContext()
    var request = FetchRequest<StopTime>()
    request.fetchLimit = size
    request.returnsObjectsAsFaults = false
    return try context.fetch(request).reduce(0) { $0 &+ Int($1.departureTime ?? 0) }
  }

  /// All stop times in batches, in a process that does nothing else.
  static func batches(_ workspace: Workspace) throws -> [Comparison] {
    guard let transit = workspace.program("transit") else { return [] }
    let path = try workspace.transitStore()
    let count = workspace.scale.stopTimes
    return [
      Comparison(
        title:
          "Go through \(Cell.count(Double(count))) objects in batches, in a process of its own",
        units: (count, "object"), rounds: 6,
        contenders: [
          .program(
            "C API, step by step",
            [
              workspace.worker.path, "scan", path,
              "SELECT \(CStopTime.columns) FROM ZSTOPTIME",
            ], in: workspace),
          .program(
            "ObjectStore, batches of 50", goal: .both(.atMost(2), .megabytes(50)),
            [transit, "all", "--batch-size", "50", "--store", path],
            in: workspace),
          .program(
            "ObjectStore, all at once", [transit, "all", "--batch-size", "0", "--store", path],
            in: workspace),
        ])
    ]
  }
}
