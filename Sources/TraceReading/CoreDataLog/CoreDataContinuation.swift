// SPDX-License-Identifier: Apache-2.0

/// Distinguishes the rest of a wrapped line, or of a list, from another program's line.
enum CoreDataContinuation {
  /// Whether the text of a bound value goes on in the next line: `SQLite bind[0] = "two`.
  static func isOpenText(_ bind: UnsafeRawBufferPointer) -> Bool {
    var cursor = ByteCursor(bind)
    guard cursor.consumeThrough(" = ") != nil, cursor.consume("\"") else { return false }
    return cursor.rest.trimmed.last != UInt8(ascii: "\"")
  }

  /// An object in the list of level 3.
  static func isObject(_ line: UnsafeRawBufferPointer) -> Bool {
    let text = line.trimmed
    return text.hasPrefix("\"<") || text.hasPrefix("<") || text.hasPrefix("{")
      || text.hasPrefix("}") || text.hasSuffix(",") || isIndented(line)
  }

  /// A row of a query plan, in SQLite's old words or its new ones.
  static func isPlan(_ line: UnsafeRawBufferPointer) -> Bool {
    var text = line.trimmed.drop { $0.isDigit || " |`-".utf8.contains($0) }
    while text.last == UInt8(ascii: " ") { text = text.dropLast() }
    let words = UnsafeRawBufferPointer(rebasing: text)
    let starts: [StaticString] = [
      "SCAN", "SEARCH", "USE TEMP B-TREE", "CORRELATED", "EXECUTE", "SCALAR", "LIST", "COMPOUND",
      "UNION", "MATERIALIZE", "CO-ROUTINE", "MULTI-INDEX", "INDEX ", "LEFT", "MERGE", "RIGHT",
      "QUERY PLAN", "RECURSIVE", "SETUP", "REUSE", "BLOOM", "USING INDEX", "EXCEPT", "INTERSECT",
    ]
    return starts.contains { words.hasPrefix($0) }
  }

  /// The row of a plan in a line, which may have a head like the lines before it.
  static func planRow(
    _ line: UnsafeRawBufferPointer, headLength: Int
  ) -> UnsafeRawBufferPointer? {
    if isPlan(line) { return line }
    for index in line.indices where " \t".utf8.contains(line[index]) {
      let row = UnsafeRawBufferPointer(rebasing: line[(index + 1)...])
      guard row.first != UInt8(ascii: " "), isPlan(row) else { continue }
      let head = UnsafeRawBufferPointer(rebasing: line[...index])
      return head.count == headLength || CoreDataLineHead(head) != nil ? row : nil
    }
    return nil
  }

  static func isIndented(_ line: UnsafeRawBufferPointer) -> Bool {
    line.first == UInt8(ascii: " ") || line.first == 9
      || line.first.map { "{}()".utf8.contains($0) } == true
  }
}

extension UInt8 {
  var isUpper: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}
