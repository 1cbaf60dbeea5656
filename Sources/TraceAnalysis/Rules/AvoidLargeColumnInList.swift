// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct AvoidLargeColumnInList: Rule {
  // 20 is arbitrary: a screen. 4,096 bytes do not fit in a page of the usual size.
  static let minRows = 20.0
  static let minBytes = 4096
  // 65,536 is arbitrary: a small picture, which a list may show.
  private static let minThumbnailBytes = 65_536
  // A row of numbers and short texts takes a few microseconds in Core Data's log.
  private static let minTimePerRow = 20_000.0

  static let explanation = RuleExplanation(
    problem: "large values in a list",
    law: "A list does not load the bytes of pictures and documents.",
    reason: """
      A fetch of objects, and `SELECT *`, reads all columns of their table: large values are copied for every row of the
      list, and evict other pages from the cache.
      """,
    bad: """
      Photo(label, blob, timestamp)                  // the list shows label and timestamp
      SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZBLOB, t0.ZLABEL, t0.ZTIMESTAMP FROM ZPHOTO t0
      """,
    good: """
      Photo(label, timestamp, thumbnail, bytes → PhotoBytes)      // one fault, for the photo that is opened
      SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZLABEL, t0.ZTHUMBNAIL, t0.ZTIMESTAMP, t0.ZBYTES FROM ZPHOTO t0
      """,
    limits: """
      Needs `--database`, since a trace does not have the size of values; without it, and without counters, a column of
      Core Data's log is a note if its name ends like that of bytes (data, image and similar) and its rows take 20 µs each or
      more. Reported when a statement returns 20 rows a run or
      more and a column of type BLOB, TEXT, CLOB, JSON or none takes 4,096 bytes or more of each on average: as one run on
      the database returned them, otherwise averaged over the table's first 10,000 rows (500 for texts), including rows
      without a value. Values stored outside
      the file (short references), thumbnails (by the column's name) of less than 65,536 bytes, single objects, and the prefetch of an entity that has little more than
      the bytes are not reported.
      """)

  func check(_ workload: Workload) -> [Finding] {
    guard let database = workload.database else {
      let tables = Set(workload.forms.flatMap { $0.whole.clauses.tables })
      return workload.forms.map(\.whole).compactMap { named($0, tables) }
    }
    return workload.forms.map(\.whole).flatMap { statement -> [Finding] in
      guard let sql = statement.sql, statement.work.perRun(\.rows) >= Self.minRows,
        // Faults alone read one object each.
        !statement.kinds.isEmpty || statement.observedRuns != nil, statement.kinds != [.count]
      else { return [] }
      let columns = ResultColumns.all(in: statement.qualifiedSQL) {
        database.table($0)?.largeColumns ?? []
      }
      if isPrefetchOfBytes(statement, sql) { return [] }
      return columns.compactMap { column in
        guard let table = database.table(column.table),
          let average = table.blobBytes[column.name] ?? table.textBytes[column.name], average > 0,
          let bytes = bytes(of: column, in: sql, statement, average, workload),
          bytes >= (column.name.isOfThumbnail ? Self.minThumbnailBytes : Self.minBytes)
        else { return nil }
        return finding(statement, column, bytes)
      }
    }
  }

  /// Whether it prefetches an entity that has little more than the bytes: the rows that are shown.
  private func isPrefetchOfBytes(_ statement: JudgedStatement, _ sql: String) -> Bool {
    let keys: Set = ["z_pk", "z_ent", "z_opt"]
    // The bytes and their owner.
    return statement.kinds == [.prefetch]
      && ResultColumns.all(in: sql).filter { !keys.contains($0.name.lowercased()) }.count <= 2
  }

  /// From the text and the time of its rows alone.
  private func named(_ statement: JudgedStatement, _ tables: Set<String>) -> Finding? {
    let work = statement.work
    guard statement.isTextOnly, statement.kinds == [.objects], let sql = statement.sql,
      work.perRun(\.rows) >= Self.minRows,
      Double(work.totalTime) >= Double(work.rows) * Self.minTimePerRow,
      // `ZPICTURE` may be a to-one relationship to the rows of a table of that name.
      let column = ResultColumns.all(in: sql).first(where: {
        $0.name.isOfBytes && !tables.contains($0.name.lowercased())
      })
    else { return nil }
    let time = (Double(work.totalTime) / Double(work.rows) / 1000).wholeText
    return Finding(
      rule: Self.name, severity: .note, confidence: .low, statement: statement.id,
      caller: statement.profile.mainCaller, object: "\(column.table).\(column.name)",
      message: """
        Each run loads '\(column.name)' of \(work.perRun(\.rows).counted("row")), \(time) µs a row\
        \(statement.runsText). By its name and this time, it has bytes of pictures or documents.
        """,
      evidence: statement.profile.evidence([]) + [.init("totalNs", work.totalTime)],
      fix: fix(statement, column))
  }

  /// Bytes per returned row: of one run on the database, otherwise averaged over the table's rows.
  private func bytes(
    of column: ResultColumns.Column, in sql: String, _ statement: JudgedStatement, _ average: Int,
    _ workload: Workload
  ) -> Int? {
    guard let measured = workload.columnBytes(sql), let bytes = measured[column.name] else {
      return workload.columnBytes(sql)?.isEmpty == false ? nil : average
    }
    return Int(clamping: bytes / max(statement.work.rows / max(statement.work.count, 1), 1))
  }

  private func finding(
    _ statement: JudgedStatement, _ column: ResultColumns.Column, _ bytes: Int
  ) -> Finding {
    let work = statement.work
    let perRun = work.perRun(\.rows) * Double(bytes)
    return Finding(
      rule: Self.name, confidence: .high, statement: statement.id,
      caller: statement.profile.mainCaller, object: "\(column.table).\(column.name)",
      message: """
        Each run loads '\(column.name)' of \(work.perRun(\.rows).counted("row")), \
        \(bytes.counted("byte")) each on average: \
        \((perRun / 1_000_000).rounded(toFractionDigits: 1)) MB\(statement.runsText).
        """,
      evidence: [
        .init("runs", work.count), .init("rows", work.rows), .init("bytesPerRow", bytes),
        .init("stepAndCopyNs", work.stepTime),
      ],
      fix: fix(statement, column))
  }

  private func fix(_ statement: JudgedStatement, _ column: ResultColumns.Column) -> String {
    statement.isOfObjects
      ? """
      move '\(column.name)' to an entity of its own with a to-one relationship, or use external \
      storage, and keep what the list shows (a thumbnail) in \(column.table)
      """
      : """
      select only the columns that the list shows, and '\(column.name)' of the row that is opened; \
      in a table of its own it is not between the rows of \(column.table)
      """
  }
}

extension String {
  /// Whether a column has a name that is mostly that of bytes.
  fileprivate var isOfBytes: Bool {
    let name = lowercased()
    return ["data", "blob", "bytes", "image", "picture", "audio", "video", "pdf"]
      .contains(where: name.hasSuffix) && !name.hasSuffix("metadata") && !isOfThumbnail
  }

  /// Whether the column's name is typical of a thumbnail.
  fileprivate var isOfThumbnail: Bool {
    ["thumb", "preview", "icon", "avatar"].contains(where: lowercased().contains)
  }
}

extension Double {
  fileprivate func rounded(toFractionDigits digits: Int) -> String {
    let scale = (0..<digits).reduce(1.0) { value, _ in value * 10 }
    return "\((self * scale).rounded() / scale)"
  }
}
