// SPDX-License-Identifier: Apache-2.0

import Foundation
import Reliability
import SQLiteDriver

/// Tables and rows of a file, but for times, the store's identity and the middle of long bytes.
struct StoreContent: Equatable, CustomStringConvertible {
  let lines: [String]

  /// As another connection to the same file sees it.
  init(_ url: URL) throws {
    let connection = try Connection(path: url.path, mode: .readWrite)
    var lines = try connection.column("PRAGMA integrity_check")
    for table in try connection.column(
      "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
    {
      lines += try connection.column("SELECT sql FROM sqlite_master WHERE tbl_name = '\(table)'")
        .sorted()
      let columns = try connection.column("SELECT name FROM pragma_table_info('\(table)')")
        .filter { !["ZTIMESTAMP", "Z_UUID", "Z_PLIST"].contains($0) }
      // Of bytes, how many they are, the first and the last ones; a file's name is ever another.
      let values = columns.map {
        "CASE WHEN typeof(\($0)) <> 'blob' THEN quote(\($0)) "
          + "WHEN length(\($0)) IN (37, 38) AND substr(\($0), 1, 1) = X'02' THEN 'file' "
          + "ELSE length(\($0)) || hex(substr(\($0), 1, 16)) || hex(substr(\($0), -16)) END"
      }
      lines += try connection.rows(
        "SELECT '\(table)', \(values.joined(separator: ", ")) FROM \(table)"
      ).map { $0.joined(separator: "|") }.sorted()
    }
    self.lines = lines
  }

  /// The state after a crash at this moment: the file and its log, without the memory that live
  /// processes share.
  init(afterCrashOf url: URL) throws {
    let folder = url.deletingLastPathComponent().appending(path: "crashed")
    let copy = folder.appending(path: url.lastPathComponent)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for suffix in ["", "-wal", "-journal"]
    where FileManager.default.fileExists(atPath: url.path + suffix) {
      try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
    }
    self = try StoreContent(copy)
  }

  /// The first line that differs.
  var description: String { "\(lines.count) lines" }

  static func differences(_ a: StoreContent, _ b: StoreContent) -> [String] {
    a.lines.difference(from: b.lines).prefix(6).map { "\($0)" }
  }
}
