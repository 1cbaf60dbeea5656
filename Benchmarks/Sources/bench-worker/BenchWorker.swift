// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import CMeasuring
import CSQLite
import Foundation

/// Does what has to be measured in a process of its own.
///
///     bench-worker serve FILE               answers each line COUNT with the time of so many geo fetches
///     bench-worker serve-counters FILE      the same, and reads the store's counters after each
///     bench-worker scan FILE SQL            steps over all rows by the C API
///     bench-worker path NAME COUNT          takes a hot path so many times, for bench-counts
///     bench-worker versions                 what the numbers of a path depend on
@main
enum BenchWorker {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("serve", 2): try GeoServer.run(arguments[1], readsCounters: false)
    case ("serve-counters", 2): try GeoServer.run(arguments[1], readsCounters: true)
    case ("scan", 3): print(try scan(arguments[1], arguments[2]))
    case ("path", 3):
      guard let path = HotPath(rawValue: arguments[1]), let count = Int(arguments[2]) else {
        exit(64)
      }
      print(try path.measure(count))
    case ("versions", 1):
      print("sqlite", String(cString: sqlite3_libversion()))
      print("glibc", String(cString: CMeasuring_libc_version()))
    default: exit(64)
    }
  }

  /// Reads every value of every row, and adds up the integers.
  private static func scan(_ path: String, _ sql: String) throws -> Int64 {
    let database = try CDatabase(path: path)
    let statement = try database.prepare(sql)
    defer { sqlite3_finalize(statement) }
    let columns = sqlite3_column_count(statement)
    var sum: Int64 = 0
    while sqlite3_step(statement) == SQLITE_ROW {
      for column in 0..<columns { sum &+= sqlite3_column_int64(statement, column) }
    }
    return sum
  }
}
