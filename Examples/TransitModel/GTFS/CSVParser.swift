// SPDX-License-Identifier: Apache-2.0

/// Reads CSV as RFC 4180 has it, from bytes in pieces of any size; memory holds one record.
///
/// Quotes may enclose a field, with `""` for a quote inside; records end in CR LF, LF or CR; a
/// UTF-8 byte order mark at the beginning and lines without a byte are passed over.
struct CSVParser {
  /// One record, valid only during the callback that receives it.
  struct Record {
    fileprivate(set) var bytes: [UInt8] = []
    fileprivate(set) var ends: [Int] = []
    /// The line on which the record begins, from 1.
    fileprivate(set) var line = 1

    var count: Int { ends.count }

    /// The bytes of a field; empty where the record is too short to have it.
    subscript(field: Int) -> ArraySlice<UInt8> {
      guard field < ends.count else { return [] }
      return bytes[(field == 0 ? 0 : ends[field - 1])..<ends[field]]
    }

    func string(_ field: Int) -> String { String(decoding: self[field], as: UTF8.self) }
  }

  /// The reason why a text is not CSV.
  enum Failure: Error, Equatable {
    case openQuote(line: Int)
    case recordTooLong(line: Int)
  }

  private enum State { case fieldStart, plain, quoted, quoteInQuoted }

  private var state = State.fieldStart
  private var record = Record()
  private var line = 1
  private var isAfterCarriageReturn = false
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  /// The number of bytes of the byte order mark that were read; nil after the start of the text.
  private var markBytes: Int? = 0
  /// Longer than any line of a real feed: a quote left open must not read the rest into memory.
  static let longestRecord = 1 << 20

  /// Parses a piece of the text, and passes each record that ends in it to `body`.
  mutating func parse(
    _ piece: some Sequence<UInt8>, _ body: (Record) throws -> Void
  ) throws {
    for byte in piece {
      if let seen = markBytes {
        let isMark = byte == Self.byteOrderMark[seen]
        markBytes = isMark && seen < 2 ? seen + 1 : nil
        if isMark { continue }
        for markByte in Self.byteOrderMark.prefix(seen) { try take(markByte, body) }
      }
      try take(byte, body)
    }
  }

  /// Ends the text, and passes on a last record that no line end closed.
  mutating func finish(_ body: (Record) throws -> Void) throws {
    if state == .quoted { throw Failure.openQuote(line: record.line) }
    try endRecord(body)
  }

  private mutating func take(_ byte: UInt8, _ body: (Record) throws -> Void) throws {
    let isLineEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    let isSecondOfPair = byte == UInt8(ascii: "\n") && isAfterCarriageReturn
    isAfterCarriageReturn = byte == UInt8(ascii: "\r")
    if isLineEnd, !isSecondOfPair { line += 1 }
    switch (state, byte) {
    case (.quoted, UInt8(ascii: "\"")): state = .quoteInQuoted
    case (.quoted, _): try append(byte)
    case (.quoteInQuoted, UInt8(ascii: "\"")):
      try append(byte)
      state = .quoted
    case (.fieldStart, UInt8(ascii: "\"")): state = .quoted
    case (_, UInt8(ascii: ",")):
      record.ends.append(record.bytes.count)
      state = .fieldStart
    case _ where isLineEnd:
      if !isSecondOfPair { try endRecord(body) }
    default:
      try append(byte)
      state = .plain
    }
  }

  private mutating func append(_ byte: UInt8) throws {
    guard record.bytes.count < Self.longestRecord else {
      throw Failure.recordTooLong(line: record.line)
    }
    record.bytes.append(byte)
  }

  private mutating func endRecord(_ body: (Record) throws -> Void) throws {
    let isBlank = record.bytes.isEmpty && record.ends.isEmpty && state == .fieldStart
    if !isBlank {
      record.ends.append(record.bytes.count)
      try body(record)
    }
    record.bytes.removeAll(keepingCapacity: true)
    record.ends.removeAll(keepingCapacity: true)
    record.line = line
    state = .fieldStart
  }
}
