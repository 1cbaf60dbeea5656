// SPDX-License-Identifier: Apache-2.0

/// A log of Core Data in which one problem is visible, and the conclusion that its text supports.
struct CoreDataEvidence: Sendable, CustomStringConvertible {
  var name: String
  /// The statements, each with its times in seconds, its rows and the lines behind it.
  var runs: [Run]
  /// The rule, or nil where nothing is wrong.
  var rule: String?
  var severity = "note"
  /// Words of the fix.
  var fix: [String] = []

  struct Run: Sendable {
    var sql: String
    var connection = 0.001
    var total = 0.002
    var rows: Int
    var isCount = false
    var after = ""
    var count = 1
  }

  var description: String { name }

  /// The log, its statements as a function writes them.
  func log(_ spell: (String) -> String = { $0 }) -> String {
    runs.map { run in
      let times =
        run.isCount
        ? "CoreData: annotation: total count request execution time: \(run.total)s for count of \(run.rows).\n"
        : """
        CoreData: annotation: sql connection fetch time: \(run.connection)s
        CoreData: annotation: total fetch execution time: \(run.total)s for \(run.rows) rows.

        """
      return String(
        repeating: "CoreData: sql: \(spell(run.sql))\n\(times)\(run.after)", count: run.count)
    }.joined()
  }

  static let stop = """
    SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZLATITUDE, t0.ZLONGITUDE, t0.ZNAME, t0.ZSTOPID FROM ZSTOP t0
    """
  static let photo = "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZLABEL, t0.ZTIMESTAMP FROM ZPHOTO t0"
  static let record = """
    SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZINDEXVALUE, t0.ZVALUE FROM ZRECORD t0
    """
  private static let object = "0xd000000000040002 <x-coredata://AB12CD34-0000/"

  static let box = Self(
    name: "a box",
    runs: [
      .init(
        sql: stop
          + " WHERE (? <= t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ? AND  ? <= t0.ZLATITUDE AND  t0.ZLATITUDE <= ?)  LIMIT 100",
        connection: 0.0008, total: 0.0013, rows: 15)
    ])

  static let textSearch = Self(
    name: "a text search",
    runs: [
      .init(
        sql: stop + " WHERE NSCoreDataStringSearch( t0.ZNAME, ?, 393, 0)", connection: 0.0071,
        total: 0.0076, rows: 4)
    ], rule: "UnindexedStringSearch",
    fix: ["normalized", "<fetchIndex>", "BEGINSWITH", "search terms"])

  static let allRows = Self(
    name: "all rows of an entity",
    runs: [
      .init(
        sql: "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZDEPARTURETIME, t0.ZSTOP FROM ZSTOPTIME t0",
        connection: 7.2, total: 9.1, rows: 2_998_765)
    ], rule: "LimitFetch", fix: ["fetchBatchSize", "fetchLimit"])

  static let bytesInList = Self(
    name: "bytes in a list",
    runs: [
      .init(
        sql:
          "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZLABEL, t0.ZPHOTODATA, t0.ZTIMESTAMP FROM ZPHOTO t0",
        connection: 0.1711, total: 0.2049, rows: 184)
    ], rule: "AvoidLargeColumnInList", fix: ["an entity of its own", "external storage"])

  static let faults = Self(
    name: "a fault for each row",
    runs: [
      .init(sql: photo, connection: 0.0011, total: 0.0019, rows: 184),
      .init(
        sql: "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZDATA FROM ZPHOTODATA t0 WHERE  t0.Z_PK = ?",
        rows: 1,
        after: "CoreData: annotation: fault fulfilled from database for : \(object)PhotoData/p4>\n",
        count: 184),
    ], rule: "AvoidFaultStorm", severity: "warning", fix: ["relationshipKeyPathsForPrefetching"])

  static let counts = Self(
    name: "a count for each row",
    runs: [
      .init(sql: stop + " WHERE  t0.ZLONGITUDE = ?", rows: 40),
      .init(
        sql: "SELECT COUNT(*) FROM ZSTOPTIME t0 WHERE  t0.ZSTOP = ?", rows: 23, isCount: true,
        count: 40),
    ], rule: "AvoidQueryInLoop", fix: ["count for all rows in one request"])

  static let expression = Self(
    name: "a regular expression",
    runs: [
      .init(
        sql: photo + " WHERE NSCoreDataMatches( t0.ZLABEL, ?, 1)", connection: 0.038,
        total: 0.0385, rows: 12)
    ], rule: "UnindexedStringSearch",
    fix: ["a prefix needs no regular expression", "BEGINSWITH", "<fetchIndex>"])

  static let prefix = Self(
    name: "a prefix",
    runs: [
      .init(
        sql: photo + " WHERE ( t0.ZNORMALIZEDLABEL >= ? AND  t0.ZNORMALIZEDLABEL < ?)",
        connection: 0.0018, total: 0.0023, rows: 12)
    ])

  static let textFirst = Self(
    name: "text before a number",
    runs: [
      .init(
        sql: photo + " WHERE (NSCoreDataMatches( t0.ZLABEL, ?, 1) AND  t0.ZTIMESTAMP > ?)",
        connection: 0.012, total: 0.0131, rows: 9)
    ], rule: "WriteCheapTermsFirst", fix: ["write the comparison before the search"])

  static let joinedText = Self(
    name: "a join for each row",
    runs: [
      .init(
        sql: photo
          + " WHERE (SELECT COUNT(t1.Z_PK) FROM ZTAG t1 JOIN Z_1TAGS t2 ON t1.Z_PK = t2.Z_2TAGS WHERE (t0.Z_PK = t2.Z_1PHOTOS AND NSCoreDataMatches( t1.ZTAG, ?, 1))) <> ?",
        connection: 0.041, total: 0.0425, rows: 24)
    ], rule: "UnindexedStringSearch",
    fix: ["fetch the objects of ZTAG first", "then those of ZPHOTO by the relationship"])

  static let batches = Self(
    name: "all batches at once",
    runs: [
      .init(sql: "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME > ?", rows: 12_800),
      .init(
        sql: stop + " WHERE  t0.Z_PK IN  (SELECT * FROM _Z_intarray0)   LIMIT 50", rows: 50,
        count: 256),
    ], rule: "KeepBatchSize", fix: ["keep the batched result itself"])

  static let relationship = Self(
    name: "a relationship as a whole",
    runs: [
      .init(sql: "SELECT 0, t0.Z_PK, t0.ZNAME FROM ZROUTE t0 WHERE  t0.Z_PK = ?", rows: 1),
      .init(
        sql: "SELECT 0, t0.Z_PK, t0.ZROUTE FROM ZSTOPTIME t0 WHERE  t0.ZROUTE = ?", rows: 12_000,
        after:
          "CoreData: annotation: to-many relationship fault \"stopTimes\" for objectID \(object)Route/p1> fulfilled from database.  Got 12000 rows\n"
      ),
    ], rule: "AvoidWholeRelationship", fix: ["count them in a request", "fetchLimit"])

  static let localizedSort = Self(
    name: "a localized sort",
    runs: [
      .init(
        sql: record + " ORDER BY t0.ZVALUE COLLATE NSCollateLocaleSensitiveNoCase",
        connection: 0.8731, total: 1.0311, rows: 1500)
    ], rule: "UseStoredSortKey", severity: "warning", fix: ["store a sort key", "<fetchIndex>"])

  static let plainSort = Self(
    name: "a sort without a limit",
    runs: [
      .init(
        sql: record + " ORDER BY t0.ZINDEXVALUE", connection: 0.2101, total: 0.3537, rows: 1327)
    ], rule: "UseIndexForSort",
    fix: ["add a fetch index on indexvalue (ZINDEXVALUE)", "fetchBatchSize"])

  /// The pieces of evidence that a log alone supports.
  static let all = [
    box, textSearch, allRows, bytesInList, faults, counts, expression, prefix, textFirst,
    joinedText, batches, relationship, localizedSort, plainSort,
  ]
}
