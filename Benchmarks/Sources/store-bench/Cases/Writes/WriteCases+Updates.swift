// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import Foundation
import GRDB
import ObjectStore

extension WriteCases {
  static func update(_ count: Int, _ workspace: Workspace) throws -> Comparison {
    let (theirs, ours, others) = (
      try peer(count, workspace), try peer(count, workspace), try peer(count, workspace)
    )
    let statement = try theirs.database.prepare(
      "UPDATE ZSTOP SET ZNAME = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?")
    let queue = try queue(others)
    let objects = FetchedObjects(ours.container)
    let records = Kept<[GRDBStop]>([])
    let round = Kept(0)
    return Comparison(
      title: "Update \(Cell.count(Double(count))) objects, and save", units: (count, "object"),
      contenders: [
        Contender(name: "C API, an UPDATE by key each") {
          try theirs.database.execute("BEGIN IMMEDIATE")
          for key in 1...count {
            try "Another name".withCString { name in
              sqlite3_bind_text(statement, 1, name, -1, nil)
              sqlite3_bind_int64(statement, 2, Int64(key))
              defer { sqlite3_reset(statement) }
              try check(sqlite3_step(statement))
            }
          }
          try theirs.database.execute("COMMIT")
          return count
        },
        Contender(name: "ObjectStore", goal: .atMost(1.8), prepare: { try objects.fetch() }) {
          // A value that is set to what it was may be no change.
          round.value += 1
          let name = "Name \(round.value)"
          for stop in objects.stops { stop.name = name }
          try objects.context?.save()
          return objects.stops.count
        },
        Contender(name: "ObjectStore, batch update") {
          var request = BatchUpdateRequest<Stop>()
          request.set(\.name, to: "A third name")
          return try ours.container.newBackgroundContext().execute(request).count
        },
        Contender(
          name: "GRDB records",
          prepare: { records.value = try queue.read { try GRDBStop.fetchAll($0) } }
        ) {
          try queue.write { database in
            for record in records.value {
              var record = record
              record.name = "Another name"
              try record.update(database)
            }
          }
          return records.value.count
        },
      ])
  }
}
