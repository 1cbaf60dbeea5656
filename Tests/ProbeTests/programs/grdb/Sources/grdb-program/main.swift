// SPDX-License-Identifier: Apache-2.0

import Library
import SQLiteProbe
import Synchronization

// GRDB's own trace counts, from the moment when it has opened the connection.
let statements = Mutex(0)
let observesItself = CommandLine.arguments.contains("observe")
let library = try Library { database in
  if observesItself, let handle = database.sqliteConnection { SQLiteProbe.observe(handle) }
  database.trace { event in
    if case .statement = event { statements.withLock { $0 += 1 } }
  }
}
// The ids of the authors, and all titles twice.
let rows = try 20 + library.titlesOneByOne().joined().count + library.titles().joined().count
try library.queue.close()
// PRAGMA foreign_keys was run before that.
print("counts", 1 + statements.withLock { $0 }, rows)
