// SPDX-License-Identifier: Apache-2.0

/// The rows that a log viewer exports (CSV): a message in one column, its time in another one.
///
///     "2025-11-25T10:00:00.123Z","mac-1","CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0"
///
/// becomes the line
///
///     2025-11-25T10:00:00.123Z CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0
struct TableConversion: TextConversion {
  private struct Field {
    var text: [UInt8] = []
    var isQuoted = false
  }

  private let separator: UInt8
  /// The column of the messages.
  private let column: Int
  private var row = Row()
  private var isFirst = true

  // 16 MiB is arbitrary: a message has at most 32 KiB, but a cell may have a whole log.
  private static let maxRow = 16 << 20

  /// Returns `nil` if a text does not begin with rows of which one has a line of a log in a column.
  init?(head: [UInt8]) {
    for separator in ",;\t".utf8 {
      guard let column = Self.column(of: head, separator) else { continue }
      (self.separator, self.column) = (separator, column)
      return
    }
    return nil
  }

  private static func column(of head: [UInt8], _ separator: UInt8) -> Int? {
    var row = Row()
    var width: Int?
    for byte in head {
      guard let fields = row.read(byte, separator) else { continue }
      guard row.isWellFormed, fields.count == width ?? fields.count else { return nil }
      width = fields.count
      if let column = fields.indices.first(where: { isMessage(fields[$0], column: $0) }) {
        return column
      }
    }
    // A cell with a whole log may not end in these bytes.
    let last = row.fields.count
    return row.field.isQuoted && last > 0 && last < width ?? 0 && isMessage(row.field, column: last)
      ? last : nil
  }

  /// Whether a field has a message; a plain line of a log with commas begins in its first field.
  private static func isMessage(_ field: Field, column: Int) -> Bool {
    field.text.withUnsafeBytes { text in
      if !field.isQuoted { return column > 0 && text.hasPrefix("CoreData: ") }
      var (coreData, own) = (ByteCursor(text), ByteCursor(text))
      return coreData.consumeThrough("CoreData: ") != nil
        || own.consumeThrough("] ObjectStore: ") != nil
    }
  }

  mutating func convert(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
    var lines: [UInt8] = []
    for byte in bytes {
      if let fields = row.read(byte, separator) { lines += line(of: fields) }
      if row.byteCount > Self.maxRow { row = Row() }
    }
    if isLast, let fields = row.read(UInt8(ascii: "\n"), separator) { lines += line(of: fields) }
    return lines
  }

  /// The line of a row: the time and the message.
  private mutating func line(of fields: [Field]) -> [UInt8] {
    defer { isFirst = false }
    guard fields.indices.contains(column) else {
      return fields.map(\.text).joined(separator: [separator]) + [UInt8(ascii: "\n")]
    }
    // The names of the columns.
    if isFirst, !Self.isMessage(fields[column], column: column) { return [] }
    let time = fields.first { field in
      field.text.withUnsafeBytes { text in CoreDataLineHead(text)?.time != nil }
    }
    let isAlone = fields.count == 1 || time.map { $0.text == fields[column].text } ?? true
    return (isAlone ? [] : (time?.text ?? []) + [UInt8(ascii: " ")]) + fields[column].text
      + [UInt8(ascii: "\n")]
  }

  /// A row that is read byte by byte.
  private struct Row {
    private(set) var fields: [Field] = []
    private(set) var field = Field()
    /// False after a quoted field that more text followed.
    private(set) var isWellFormed = true
    private(set) var byteCount = 0
    private var isOpen = false

    /// Returns the fields of a row that ends.
    mutating func read(_ byte: UInt8, _ separator: UInt8) -> [Field]? {
      byteCount += 1
      if byte == UInt8(ascii: "\"") {
        if isOpen {
          isOpen = false
        } else if field.isQuoted {
          // The second one of two quotes, which are one.
          field.text.append(byte)
          isOpen = true
        } else if field.text.isEmpty {
          (field.isQuoted, isOpen) = (true, true)
        } else {
          field.text.append(byte)
        }
        return nil
      }
      if isOpen || ![separator, UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(byte) {
        if !isOpen, field.isQuoted { isWellFormed = false }
        field.text.append(byte)
        return nil
      }
      guard byte != UInt8(ascii: "\r") else { return nil }
      fields.append(field)
      field = Field()
      guard byte == UInt8(ascii: "\n") else { return nil }
      defer { (fields, byteCount) = ([], 0) }
      return fields
    }
  }
}
