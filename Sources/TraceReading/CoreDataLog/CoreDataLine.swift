// SPDX-License-Identifier: Apache-2.0

/// One line of Core Data's own log, taken apart but not copied.
///
///     2014-07-31 15:29:04.797 WordList[73416:2971038] CoreData: sql: SELECT 0, t0.Z_PK FROM …
///     └ head ───────────────────────────────────────┘           └ category └ text
///
/// People paste it with the head, the words `CoreData: ` or their first letters cut off.
struct CoreDataLine {
  enum Category { case sql, annotation, details, remark, error }

  let head: CoreDataLineHead?
  /// The bytes before `CoreData: `.
  let headLength: Int
  let category: Category
  /// Whether `CoreData: `, or the end of it, precedes the category.
  let isMarked: Bool
  let text: UnsafeRawBufferPointer

  /// Returns `nil` if the line has no category.
  init?(_ line: UnsafeRawBufferPointer) {
    guard let (name, end, category) = Self.category(in: line) else { return nil }
    let before = UnsafeRawBufferPointer(rebasing: line[..<name])
    guard let mark = Self.markLength(before) else { return nil }
    guard mark > 0 || before.isEmpty || before.last.map(Self.isBoundary) == true else {
      return nil
    }
    isMarked = mark > 0
    // `error: ` is a word of many programs' lines.
    let text = UnsafeRawBufferPointer(rebasing: line[end...])
    switch category {
    case .remark: guard isMarked else { return nil }
    case .error: guard isMarked || Self.isFromSQLite(text) else { return nil }
    default: break
    }
    headLength = before.count - mark
    head = CoreDataLineHead(UnsafeRawBufferPointer(rebasing: before.dropLast(mark)))
    self.category = category
    self.text = text
  }

  /// Whether it would be read where no line has `CoreData: `.
  var isStatementOrTime: Bool {
    switch category {
    case .sql: CoreDataStatement.isSQL(text)
    case .annotation: CoreDataAnnotation(text) != nil
    case .details, .remark, .error: false
    }
  }

  private static func isFromSQLite(_ text: UnsafeRawBufferPointer) -> Bool {
    var cursor = ByteCursor(text)
    return cursor.consumeThrough("SQLite error code:") != nil
      || cursor.consumeThrough("I/O error for database") != nil
  }

  /// Finds the first `sql: `, `annotation: ` and so on.
  private static func category(
    in line: UnsafeRawBufferPointer
  ) -> (name: Int, end: Int, Category)? {
    var cursor = ByteCursor(line)
    while let word = cursor.consumeThrough(": ") {
      let end = cursor.position
      for (name, category) in categories where word.hasSuffix(name) {
        return (end - 2 - name.utf8CodeUnitCount, end, category)
      }
    }
    return nil
  }

  private static let categories: [(StaticString, Category)] = [
    ("sql", .sql), ("annotation", .annotation), ("details", .details), ("debug", .remark),
    ("warning", .remark), ("error", .error), ("fault", .remark),
  ]

  /// The length of `CoreData: ` at the end, or of its rest at the start of a line.
  ///
  /// Nil in quotes, where it is text of another line, such as JSON.
  private static func markLength(_ before: UnsafeRawBufferPointer) -> Int? {
    let mark: StaticString = "CoreData: "
    if before.hasSuffix(mark) {
      let isQuoted = before.dropLast(mark.utf8CodeUnitCount).last == UInt8(ascii: "\"")
      return isQuoted ? nil : mark.utf8CodeUnitCount
    }
    let isCut =
      before.count < mark.utf8CodeUnitCount
      && UnsafeRawBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
        .suffix(before.count).elementsEqual(before)
    return isCut ? before.count : 0
  }

  private static func isBoundary(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == 9 }
}

extension UnsafeRawBufferPointer {
  func hasSuffix(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard self.count >= count else { return false }
    return suffix(count).elementsEqual(
      UnsafeBufferPointer(start: text.utf8Start, count: count))
  }

  func hasPrefix(_ text: StaticString) -> Bool {
    var cursor = ByteCursor(self)
    return cursor.consume(text)
  }
}
