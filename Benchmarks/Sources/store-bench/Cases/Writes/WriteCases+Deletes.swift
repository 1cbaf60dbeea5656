// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import Foundation
import GRDB
import ObjectStore

extension WriteCases {
  static func delete(_ count: Int, _ workspace: Workspace) throws -> Comparison {
    let (theirs, ours, others) = (
      try peer(count, workspace), try peer(count, workspace), try peer(count, workspace)
    )
    let statement = try theirs.database.prepare("DELETE FROM ZSTOP WHERE Z_PK = ?")
    let queue = try queue(others)
    let objects = FetchedObjects(ours.container)
    let records = Kept<[GRDBStop]>([])
    return Comparison(
      title: "Delete \(Cell.count(Double(count))) objects, and save", units: (count, "object"),
      contenders: [
        Contender(name: "C API, a DELETE by key each", prepare: { try theirs.fill(count: count) }) {
          try theirs.database.execute("BEGIN IMMEDIATE")
          for key in 1...count {
            sqlite3_bind_int64(statement, 1, Int64(key))
            defer { sqlite3_reset(statement) }
            try check(sqlite3_step(statement))
          }
          try theirs.database.execute("COMMIT")
          return count
        },
        Contender(
          name: "ObjectStore",
          prepare: {
            try ours.fill(count: count)
            try objects.fetch()
          }
        ) {
          guard let context = objects.context else { return 0 }
          for stop in objects.stops { context.delete(stop) }
          try context.save()
          return objects.stops.count
        },
        Contender(name: "ObjectStore, batch delete", prepare: { try ours.fill(count: count) }) {
          try ours.container.newBackgroundContext()
            .execute(BatchDeleteRequest<Stop>(FetchRequest())).count
        },
        Contender(
          name: "GRDB records",
          prepare: {
            try others.fill(count: count)
            records.value = try queue.read { try GRDBStop.fetchAll($0) }
          }
        ) {
          try queue.write { database in
            for record in records.value { try record.delete(database) }
          }
          return records.value.count
        },
      ])
  }
}
