// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// A row of `sqlite_stat4`: the counts around one entry of an index, and the entry's values.
///
/// SQLite without `SQLITE_ENABLE_STAT4` reads it as any other table.
struct StatisticsSample {
  var table: String
  var index: String
  /// `nEq`, `nLt` and `nDLt`.
  var counts: [String]
  var values: [BindValue]

  /// - Returns: nil where the database has none.
  static func all(of connection: Connection) throws(SQLiteError) -> [Self]? {
    guard try connection.hasTable("sqlite_stat4") else { return nil }
    let query = try connection.prepare(
      "SELECT tbl, idx, neq, nlt, ndlt, sample FROM main.sqlite_stat4 ORDER BY tbl, idx, rowid")
    var samples: [Self] = []
    while try query.step() {
      guard let values = SQLiteRecord.values(of: Array(query.blob(5))) else { continue }
      samples.append(
        Self(
          table: query.string(0), index: query.string(1),
          counts: (2..<5 as Range<Int32>).map(query.string), values: values))
    }
    return samples
  }

  func written(with pseudonyms: Pseudonyms) -> CapsuleV1.Sample {
    CapsuleV1.Sample(
      table: table, index: index, equal: counts[0], less: counts[1], distinctLess: counts[2],
      values: values.map { "\(pseudonyms.value($0))" })
  }

  static func write(
    _ samples: [CapsuleV1.Sample], to connection: Connection
  ) throws(SQLiteError) {
    let insert = try connection.prepare(
      "INSERT INTO sqlite_stat4(tbl, idx, neq, nlt, ndlt, sample) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    for sample in samples {
      let texts = [sample.table, sample.index, sample.equal, sample.less, sample.distinctLess]
      for (position, text) in texts.enumerated() { insert.bind(text, at: Int32(position) + 1) }
      let record = SQLiteRecord.bytes(of: sample.values.map { (try? BindValue($0)) ?? .null })
      BindValue.blob(record).bind(to: insert, at: 6)
      try insert.run()
    }
  }
}

/// SQLite's format of a row.
///
/// See section 2.1 of <https://www.sqlite.org/fileformat2.html#record_format>.
enum SQLiteRecord {
  /// - Returns: nil for bytes that are not a record.
  static func values(of bytes: [UInt8]) -> [BindValue]? {
    var offset = 0
    guard let header = varint(bytes, &offset), header <= bytes.count else { return nil }
    var types: [Int] = []
    while offset < header {
      guard let type = varint(bytes, &offset) else { return nil }
      types.append(type)
    }
    guard offset == header else { return nil }
    var values: [BindValue] = []
    for type in types {
      let length = length(of: type)
      guard length <= bytes.count - offset else { return nil }
      let body = bytes[offset..<offset + length]
      offset += length
      values.append(value(type, body))
    }
    return values
  }

  private static func length(of type: Int) -> Int {
    switch type {
    case 0, 8, 9, 10, 11: 0
    case 1...4: type
    case 5: 6
    case 6, 7: 8
    default: (type - 12) / 2
    }
  }

  private static func value(_ type: Int, _ body: ArraySlice<UInt8>) -> BindValue {
    func number() -> Int64 {
      let sign: Int64 = body.first.map { $0 >= 0x80 ? -1 : 0 } ?? 0
      return body.reduce(sign) { $0 << 8 | Int64($1) }
    }
    return switch type {
    case 0, 10, 11: .null
    case 1...6: .integer(number())
    case 7: .real(Double(bitPattern: UInt64(bitPattern: number())))
    case 8, 9: .integer(Int64(type - 8))
    case _ where type.isMultiple(of: 2): .blob(Array(body))
    default: .text(String(decoding: body, as: UTF8.self))
    }
  }

  static func bytes(of values: [BindValue]) -> [UInt8] {
    var types: [UInt8] = []
    var body: [UInt8] = []
    for value in values {
      switch value {
      case .null: types += varint(0)
      case .integer(let number):
        types += varint(6)
        body += bigEndian(UInt64(bitPattern: number))
      case .real(let number):
        types += varint(7)
        body += bigEndian(number.bitPattern)
      case .text(let text):
        types += varint(text.utf8.count * 2 + 13)
        body += text.utf8
      case .blob(let bytes):
        types += varint(bytes.count * 2 + 12)
        body += bytes
      }
    }
    // The header's length includes the bytes of the length.
    let length = types.count < 127 ? 1 : 2
    return varint(types.count + length) + types + body
  }

  private static func bigEndian(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  private static func varint(_ number: Int) -> [UInt8] {
    var bytes = [UInt8(number & 0x7f)]
    var rest = number >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }

  private static func varint(_ bytes: [UInt8], _ offset: inout Int) -> Int? {
    var number = 0
    // Longer ones are of values that no record holds.
    for _ in 0..<8 {
      guard offset < bytes.count else { return nil }
      let byte = bytes[offset]
      offset += 1
      number = number << 7 | Int(byte & 0x7f)
      if byte < 0x80 { return number }
    }
    return nil
  }
}
