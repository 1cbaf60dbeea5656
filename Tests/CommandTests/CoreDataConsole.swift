// SPDX-License-Identifier: Apache-2.0

/// A log of Core Data in which each count that such a log has is above 0.
struct CoreDataConsole {
  var level = 1
  var isDated = true
  var hasTimes = true

  static let fault =
    "fault fulfilled from database for : 0xd000000000100002 <x-coredata://5A/Note/p4>"

  var text: String {
    var lines = ["annotation: Connecting to sqlite database file at \"/a/Notes.sqlite\""]
    func fetch(_ sql: String, rows: Int, bound: [String] = []) {
      lines.append("sql: \(sql)")
      if level >= 2 {
        lines += bound.enumerated().map { "details: SQLite bind[\($0)] = \($1)" }
      }
      if hasTimes { lines.append("annotation: sql connection fetch time: 0.0100s") }
      if level == 2 {
        lines.append(
          "annotation: fetch using NSSQLiteStatement <0x60> on entity 'Note' with sql text '\(sql)' returned \(rows) rows"
        )
      }
      if hasTimes {
        lines.append("annotation: total fetch execution time: 0.0120s for \(rows) rows.")
      }
      if level == 4 { lines.append("details: SQLite: EXPLAIN QUERY PLAN \(sql)") }
    }
    fetch("SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE  t0.ZAUTHOR = ?", rows: 20, bound: ["7"])
    lines.append("sql: SELECT COUNT(*) FROM ZNOTE t0")
    if hasTimes {
      lines.append("annotation: total count request execution time: 0.0528s for count of 10456.")
    }
    fetch("SELECT 0, t0.Z_PK, t0.ZBODY FROM ZNOTE t0 WHERE  t0.Z_PK = ?", rows: 1, bound: ["4"])
    lines.append("annotation: \(Self.fault)")
    fetch("SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE  t0.ZPARENT = ?", rows: 3, bound: ["4"])
    lines.append(
      "annotation: to-many relationship fault \"parts\" for objectID 0xd0 <x-coredata://5A/Note/p4> fulfilled from database.  Got 3 rows"
    )
    lines += [
      "sql: BEGIN EXCLUSIVE", "sql: INSERT INTO ZNOTE(Z_PK, Z_ENT) VALUES(?, ?)",
      "sql: UPDATE ZNOTE SET ZTITLE = ? WHERE Z_PK = ?", "sql: DELETE FROM ZNOTE WHERE Z_PK = ?",
      "sql: COMMIT", "annotation: PostSaveMaintenance: wal_checkpoint(TRUNCATE) ",
      "sql: SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE  t0.ZGONE = ?",
      "error: SQLite error code:1, 'no such column: t0.ZGONE'",
    ]
    return lines.enumerated().map { index, line in
      let digits = String(100 + index)
      let date = isDated ? "2026-11-25 10:00:00.\(digits) Notes[100:200] " : ""
      return "\(date)CoreData: \(line)\n"
    }.joined()
  }
}
