// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport

/// Damages a store at random, the same way for the same seed: values, rows, the schema, bytes of
/// pages, and the files beside it.
struct HostileDatabase {
  private var generator: SeededGenerator
  private let url: URL
  /// The steps so far, as SQL if they were SQL.
  private(set) var steps: [String] = []
  /// Whether only values and rows of entities, pairs and the history were damaged: an opening then
  /// has no reason to change anything.
  private(set) var hasItsSchema = true

  init(_ url: URL, seed: UInt64) {
    self.url = url
    generator = SeededGenerator(seed: seed)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

  mutating func pick<T>(_ items: [T]) -> T? { items.randomElement(using: &generator) }

  mutating func damage() throws {
    for _ in 0..<number(1...3) {
      switch number(0...9) {
      case 0...4: try sql { try $0.damageValue($1) }
      case 5: try sql { try $0.damageRows($1) }
      case 6, 7: try sql { try $0.damageSchema($1) }
      case 8: try damageBytes()
      default: try damageSideFiles()
      }
    }
  }

  /// Steps that SQLite itself refuses are left out.
  private mutating func sql(_ body: (inout Self, Connection) throws -> String?) throws {
    guard let connection = try? Connection(path: url.path, mode: .readWrite) else { return }
    try? connection.execute("PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON")
    guard let statement = try? body(&self, connection) else { return }
    do { try connection.execute(statement) } catch { return }
    steps.append(String(statement.prefix(300)))
  }

  // MARK: - Values and rows

  private static let values = [
    "9223372036854775807", "9223372036854775806", "-9223372036854775808", "-9223372036854775807",
    "9223372036854775000", "9007199254740993", "4294967296", "2147483648", "32768", "16001", "-1",
    "0", "1", "2", "3", "1.5", "1e300", "-1e300", "9e999", "-9e999", "9223372036854775807.0",
    "NULL",
    "''", "'abc'", "'5'", "'9223372036854775808'", "x''", "x'00'", "x'01'", "x'02'", "x'0239'",
    "x'02363139463542424300'", "CAST(x'fffe41' AS TEXT)", "CAST(x'410042' AS TEXT)",
    "x'00112233445566778899aabbccddeeff'", "zeroblob(100000)",
    "hex(zeroblob(40000))", "'x' || char(0) || 'y'", "char(1114111)",
    "x'02' || CAST('619F5BBC-7A3B-4D1E-9C0C-0E8B6C3A7F11' AS BLOB) || x'00'",
  ]

  private mutating func table(_ connection: Connection) throws -> String? {
    let tables = try connection.column(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1")
    // Half of the time one that the store keeps its own numbers in.
    let own = tables.filter {
      ["Z_PRIMARYKEY", "Z_METADATA", "ATRANSACTION", "ACHANGE"].contains($0)
    }
    return number(0...3) == 0 ? pick(own) : pick(tables)
  }

  private mutating func damageValue(_ connection: Connection) throws -> String? {
    guard let table = try table(connection) else { return nil }
    var columns = try connection.column("SELECT name FROM pragma_table_info('\(table)') ORDER BY 1")
    let own = columns.filter { $0 == "Z_OPT" || $0 == "Z_MAX" || $0.hasPrefix("Z_FOK") }
    if !own.isEmpty, number(0...1) == 0 { columns = own }
    guard let column = pick(columns), let value = pick(Self.values) else { return nil }
    if table.hasPrefix("Z_PRIMARY") && column != "Z_MAX" || table.hasPrefix("Z_META") {
      hasItsSchema = false
    }
    let rows =
      number(0...2) == 0
      ? ""
      : " WHERE rowid IN (SELECT rowid FROM \"\(table)\" ORDER BY rowid LIMIT \(number(1...2)) OFFSET \(number(0...4)))"
    return "UPDATE OR IGNORE \"\(table)\" SET \"\(column)\" = \(value)\(rows)"
  }

  private mutating func damageRows(_ connection: Connection) throws -> String? {
    guard let table = try table(connection) else { return nil }
    if table.hasPrefix("Z_PRIMARY") || table.hasPrefix("Z_META") { hasItsSchema = false }
    let columns = try connection.column("SELECT name FROM pragma_table_info('\(table)')")
    switch number(0...2) {
    case 0:
      return "DELETE FROM \"\(table)\" WHERE rowid % \(number(1...3)) = 0"
    case 1:
      let values = columns.map { _ in pick(Self.values) ?? "0" }
      return "INSERT OR IGNORE INTO \"\(table)\" VALUES (\(values.joined(separator: ", ")))"
    default:
      let key = pick(Self.values) ?? "0"
      let values = columns.enumerated().map { $0 == 0 ? key : "\"\($1)\"" }
      return "INSERT OR IGNORE INTO \"\(table)\" SELECT \(values.joined(separator: ", ")) "
        + "FROM \"\(table)\" LIMIT 1"
    }
  }

  // MARK: - The schema

  private mutating func damageSchema(_ connection: Connection) throws -> String? {
    hasItsSchema = false
    guard let table = try table(connection) else { return nil }
    let columns = try connection.column("SELECT name FROM pragma_table_info('\(table)') ORDER BY 1")
    guard let column = pick(columns) else { return nil }
    let type = pick(["INTEGER", "VARCHAR", "BLOB", "FLOAT", "", "NONSENSE(1, 2)"]) ?? ""
    switch number(0...11) {
    case 0: return "DROP TABLE \"\(table)\""
    case 1: return "ALTER TABLE \"\(table)\" RENAME COLUMN \"\(column)\" TO \"\(column)X\""
    case 2: return "ALTER TABLE \"\(table)\" DROP COLUMN \"\(column)\""
    case 3: return "ALTER TABLE \"\(table)\" RENAME TO \"\(table)X\""
    case 4: return "ALTER TABLE \"\(table)\" ADD COLUMN \"Z\(number(0...9))\" \(type) DEFAULT 5"
    case 5:
      return "ALTER TABLE \"\(table)\" RENAME TO \"\(table)X\"; "
        + "CREATE VIEW \"\(table)\" AS SELECT * FROM \"\(table)X\""
    case 6:
      return "UPDATE sqlite_master SET sql = replace(sql, '\(column) ', '\(column) \(type) ') "
        + "WHERE name = '\(table)'"
    case 7:
      return "UPDATE sqlite_master SET sql = substr(sql, 1, \(number(1...200))) "
        + "WHERE name = '\(table)'"
    case 8: return "UPDATE sqlite_master SET rootpage = \(number(0...60)) WHERE name = '\(table)'"
    case 9:
      return "CREATE TRIGGER hostile BEFORE UPDATE ON \"\(table)\" "
        + "BEGIN SELECT RAISE(\(pick(["IGNORE", "ABORT, 'x'", "ROLLBACK, 'x'"]) ?? "IGNORE")); END"
    case 10: return "CREATE UNIQUE INDEX hostile ON \"\(table)\" (\"\(column)\")"
    default: return "PRAGMA \(pick(["user_version", "application_id", "auto_vacuum"]) ?? "") = -1"
    }
  }

  // MARK: - Bytes

  private mutating func damageBytes() throws {
    hasItsSchema = false
    var bytes = [UInt8](try Data(contentsOf: url))
    guard bytes.count > 100 else { return }
    let page = 4096 * number(0...((bytes.count - 1) / 4096))
    switch number(0...5) {
    case 0:
      for _ in 0...number(0...20) { bytes[number(0...bytes.count - 1)] ^= UInt8(number(1...255)) }
    case 1: for place in page..<min(page + 4096, bytes.count) { bytes[place] = 0 }
    case 2: bytes.removeLast(number(1...bytes.count - 1))
    case 3: bytes[number(0...99)] = UInt8(number(0...255))
    case 4:
      // The head of a page: its type, how many cells it has, where they are.
      for _ in 0...number(0...4) { bytes[page + number(0...40)] = UInt8(number(0...255)) }
    default:
      let other = 4096 * number(0...((bytes.count - 1) / 4096))
      for place in 0..<min(4096, bytes.count - max(page, other)) {
        bytes.swapAt(page + place, other + place)
      }
    }
    try Data(bytes).write(to: url)
    steps.append("bytes of the page at \(page)")
  }

  private mutating func damageSideFiles() throws {
    hasItsSchema = false
    let suffix = pick(["-wal", "-journal", "-shm"]) ?? "-wal"
    let bytes = (0..<number(0...5000)).map { _ in UInt8(number(0...255)) }
    // The magic number of a log.
    let magic: [UInt8] = number(0...1) == 0 ? [0x37, 0x7f, 0x06, 0x82, 0, 0x2d, 0xe2, 0x18] : []
    try Data(magic + bytes).write(to: URL(fileURLWithPath: url.path + suffix))
    steps.append("a file \(suffix) of \(bytes.count) bytes")
  }
}
