// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import Foundation
import GRDB
import ObjectStore

extension WriteCases {
  static func insert(count: Int, _ workspace: Workspace) throws -> Comparison {
    let (theirs, ours, others) = (
      try peer(0, workspace), try peer(0, workspace), try peer(0, workspace)
    )
    let names = (0..<count).map { "U Görlitzer Bahnhof \($0) (Berlin)" }
    let statement = try theirs.database.prepare(insertion)
    let queue = try queue(others)
    return Comparison(
      title: "Insert and save \(Cell.count(Double(count))) objects, in one transaction",
      units: (count, "object"),
      contenders: [
        Contender(name: "C API loop", prepare: { try theirs.fill(count: 0) }) {
          try theirs.database.execute("BEGIN IMMEDIATE")
          for (index, name) in names.enumerated() { try check(insert(index, name, statement)) }
          try theirs.database.execute("COMMIT")
          return count
        },
        Contender(
          name: "ObjectStore, insert and save", goal: .atMost(1.25),
          prepare: { try ours.fill(count: 0) }
        ) {
          let context = ours.container.newBackgroundContext()
          for (index, name) in names.enumerated() {
            let stop = context.insert(Stop.self)
            stop.identifier = Int64(index * 7)
            stop.latitude = latitude(index)
            stop.longitude = longitude(index)
            stop.name = name
          }
          try context.save()
          return count
        },
        Contender(name: "ObjectStore, batch insert", prepare: { try ours.fill(count: 0) }) {
          let context = ours.container.newBackgroundContext()
          try context.batchInsert(Stop.self, count: count) { row, index in
            row.identifier = Int64(index * 7)
            row.latitude = latitude(index)
            row.longitude = longitude(index)
            row.name = names[index]
          }
          return count
        },
        Contender(name: "GRDB records", prepare: { try others.fill(count: 0) }) {
          try queue.write { database in
            for (index, name) in names.enumerated() {
              try GRDBStop(
                primaryKey: Int64(index + 1), identifier: Int64(index * 7),
                latitude: latitude(index), longitude: longitude(index), name: name
              ).insert(database)
            }
          }
          return count
        },
        Contender(name: "GRDB Codable", prepare: { try others.fill(count: 0) }) {
          try queue.write { database in
            for (index, name) in names.enumerated() {
              try GRDBCodableStop(
                Z_PK: Int64(index + 1), ZIDENTIFIER: Int64(index * 7), ZLATITUDE: latitude(index),
                ZLONGITUDE: longitude(index), ZNAME: name
              ).insert(database)
            }
          }
          return count
        },
      ])
  }
}
