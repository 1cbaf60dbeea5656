// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import Foundation
import ObjectStore
import RecordsModel

/// Names in order: byte by byte, by the rules of language, and by an index.
enum SortCases {
  static func all(_ workspace: Workspace) throws -> [Comparison] {
    let path = workspace.path("sorted.sqlite")
    let count = 3_000
    try RecordStore.make(at: path, count: count, seed: 1, replacing: true)
    let store = try RecordStore(path: path)
    let database = try CDatabase(path: path)
    let statement = try database.prepare(
      "SELECT 0, Z_PK, Z_OPT, ZINDEXVALUE, ZVALUE FROM ZRECORD ORDER BY ZVALUE")
    return [
      Comparison(
        title: "Sort \(Cell.count(Double(count))) names", units: (count, "name"),
        contenders: [
          Contender(name: "C API, byte by byte") {
            var names: [(Int64, Data, String)] = []
            while sqlite3_step(statement) == SQLITE_ROW {
              names.append(
                (
                  sqlite3_column_int64(statement, 1),
                  Data(
                    bytes: sqlite3_column_blob(statement, 3),
                    count: Int(sqlite3_column_bytes(statement, 3))),
                  String(cString: sqlite3_column_text(statement, 4))
                ))
            }
            sqlite3_reset(statement)
            withExtendedLifetime(database) {}
            return names.reduce(0) { $0 &+ $1.2.utf8.count }
          },
          contender("ObjectStore, byte by byte", store, .init(\.text)),
          contender(
            "ObjectStore, localized and case-insensitive", store,
            .init(\.text, comparator: .localizedCaseInsensitive)),
          contender("ObjectStore, by a stored sort key's index", store, .init(\.indexValue)),
        ])
    ]
  }

  private static func contender(
    _ name: String, _ store: RecordStore, _ order: ObjectStore.SortDescriptor<Record>
  ) -> Contender {
    Contender(name: name) {
      let context = store.container.newBackgroundContext()
      var request = FetchRequest<Record>()
      request.sortDescriptors = [order]
      request.returnsObjectsAsFaults = false
      return try context.fetch(request).reduce(0) { $0 &+ $1.text.utf8.count }
    }
  }
}
