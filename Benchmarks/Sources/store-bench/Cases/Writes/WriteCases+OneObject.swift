// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import Foundation
import GRDB
import ObjectStore

extension WriteCases {
  static func saveOne(_ repeats: Int, _ workspace: Workspace) throws -> Comparison {
    let (theirs, ours, others) = (
      try peer(0, workspace), try peer(0, workspace), try peer(0, workspace)
    )
    let statement = try theirs.database.prepare(insertion)
    let begin = try theirs.database.prepare("BEGIN IMMEDIATE")
    let commit = try theirs.database.prepare("COMMIT")
    let queue = try queue(others)
    return Comparison(
      title: "Save one new object, a transaction each", units: (repeats, "save"),
      contenders: [
        Contender(name: "C API", prepare: { try theirs.fill(count: 0) }) {
          for index in 0..<repeats {
            try step(begin)
            try check(insert(index, "U Görlitzer Bahnhof (Berlin)", statement))
            try step(commit)
          }
          return repeats
        },
        Contender(
          name: "ObjectStore", goal: .atMost(1.4), prepare: { try ours.fill(count: 0) }
        ) {
          let context = ours.container.newBackgroundContext()
          for index in 0..<repeats {
            let stop = context.insert(Stop.self)
            stop.identifier = Int64(index * 7)
            stop.latitude = latitude(index)
            stop.longitude = longitude(index)
            stop.name = "U Görlitzer Bahnhof (Berlin)"
            try context.save()
          }
          return repeats
        },
        Contender(name: "GRDB records", prepare: { try others.fill(count: 0) }) {
          for index in 0..<repeats {
            try queue.write { database in
              try GRDBStop(
                primaryKey: Int64(index + 1), identifier: Int64(index * 7),
                latitude: latitude(index), longitude: longitude(index),
                name: "U Görlitzer Bahnhof (Berlin)"
              ).insert(database)
            }
          }
          return repeats
        },
      ])
  }

  private static func step(_ statement: OpaquePointer) throws {
    defer { sqlite3_reset(statement) }
    try check(sqlite3_step(statement))
  }
}
