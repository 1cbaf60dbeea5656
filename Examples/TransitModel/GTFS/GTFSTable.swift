// SPDX-License-Identifier: Apache-2.0

/// One file of a feed: its columns found by name, its rows one at a time.
struct GTFSTable {
  /// One row, valid only during the callback that receives it.
  struct Row {
    let record: CSVParser.Record
    fileprivate let columns: [Int?]

    var line: Int { record.line }
    /// The text of the column at an index in the list that was requested, without spaces around
    /// it; empty where the file has no such column.
    subscript(place: Int) -> Substring {
      guard let column = columns[place] else { return "" }
      return Substring(record.string(column)).trimmed
    }
  }

  /// A column, and whether it is optional.
  struct Column {
    var name: String
    var isRequired = true
  }

  /// Reads the rows of a file, in order.
  ///
  /// - Throws: ``GTFSError`` if the file or a required column is missing, or if it is not CSV.
  static func read(
    _ file: String, of feed: GTFSFeed, columns wanted: [Column], _ body: (Row) throws -> Void
  ) async throws {
    var parser = CSVParser()
    var columns: [Int?]?
    func take(_ record: CSVParser.Record) throws {
      if let columns {
        try body(Row(record: record, columns: columns))
      } else {
        columns = try places(of: wanted, in: record, file: file)
      }
    }
    do {
      try await feed.read(file) { try parser.parse($0, take) }
      try parser.finish(take)
    } catch let failure as CSVParser.Failure {
      throw GTFSError(failure, file: file)
    }
    if columns == nil { throw GTFSError.emptyFile(file) }
  }

  private static func places(
    of wanted: [Column], in header: CSVParser.Record, file: String
  ) throws -> [Int?] {
    let found = (0..<header.count).map { String(Substring(header.string($0)).trimmed) }
    return try wanted.map { column in
      let place = found.firstIndex(of: column.name)
      guard place != nil || !column.isRequired else {
        throw GTFSError.missingColumn(column.name, file: file, found: found)
      }
      return place
    }
  }
}

extension GTFSError {
  fileprivate init(_ failure: CSVParser.Failure, file: String) {
    self =
      switch failure {
      case .openQuote(let line):
        .notCSV(file: file, line: line, reason: "a quote opens here and nothing closes it")
      case .recordTooLong(let line):
        .notCSV(
          file: file, line: line,
          reason: "the row that begins here is over 1 MB long; is a quote left open?")
      }
  }
}

extension Substring {
  /// Without the spaces and tabs around it.
  fileprivate var trimmed: Substring {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return self[first...last]
  }
}
