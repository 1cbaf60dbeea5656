// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A line of Core Data about a statement, after it or before it.
enum CoreDataAnnotation {
  case connecting(path: String)
  /// For a statement that is not a fetch, such as a pragma.
  case executionTime
  case connectionTime(Nanoseconds)
  case fetchTime(Nanoseconds, rows: UInt64)
  case countTime(Nanoseconds, count: UInt64)
  case countRequest
  /// Level 2 and up; level 3 lists the objects on the lines after it.
  case fetched(entity: String, sql: String, rows: UInt64?, listsObjects: Bool)
  /// Without its object where the line is cut in the object's id.
  case faultFulfilled(CoreDataObjectID?)
  case toManyFaultFulfilled(relationship: String, CoreDataObjectID, rows: UInt64)
  case boundArray
  case prefetched(rows: UInt64)
  case checkpoint
  case maintenance

  /// Returns `nil` if no rule matches the text.
  init?(_ text: UnsafeRawBufferPointer) {
    var cursor = ByteCursor(text)
    guard
      let annotation = Self.time(&cursor, isCut: false) ?? Self.fault(&cursor) ?? Self.request(
        &cursor)
        ?? Self.other(&cursor)
    else { return nil }
    self = annotation
  }

  private static func time(_ cursor: inout ByteCursor, isCut: Bool) -> Self? {
    if cursor.consume("sql connection fetch time: ") {
      return cursor.consumeSeconds().map { .connectionTime($0) }
    }
    if cursor.consume("total fetch execution time: ") {
      guard let time = cursor.consumeSeconds(), cursor.consume(" for "),
        let rows = cursor.consumeNumber(),
        isCut || cursor.consume(" rows.")
      else { return nil }
      return .fetchTime(time, rows: rows)
    }
    if cursor.consume("total count request execution time: ") {
      guard let time = cursor.consumeSeconds(), cursor.consume(" for count of "),
        let count = cursor.consumeNumber(), isCut || cursor.consume(".")
      else { return nil }
      return .countTime(time, count: count)
    }
    return cursor.consume("sql execution time: ") ? .executionTime : nil
  }

  private static func fault(_ cursor: inout ByteCursor) -> Self? {
    if cursor.consume("fault fulfilled from database for ") {
      return CoreDataObjectID(&cursor).map { .faultFulfilled($0) }
    }
    guard cursor.consume("to-many relationship fault "), let (name, _) = cursor.consumeQuoted(),
      let object = CoreDataObjectID(&cursor), cursor.consumeThrough("Got ") != nil
    else { return nil }
    return cursor.consumeNumber().map {
      .toManyFaultFulfilled(
        relationship: String(decoding: name, as: UTF8.self), object, rows: $0)
    }
  }

  private static func request(_ cursor: inout ByteCursor) -> Self? {
    if cursor.consume("count request ") { return .countRequest }
    if cursor.consume("Prefetching with key ") {
      guard cursor.consumeThrough("Got ") != nil else { return nil }
      return cursor.consumeNumber().map { .prefetched(rows: $0) }
    }
    guard let entity = cursor.consumeFetchedEntity(),
      cursor.consumeThrough("with sql text '") != nil,
      let sql = cursor.consumeThrough("' returned "), let rows = cursor.consumeNumber()
    else { return nil }
    let rest = cursor.rest.trimmed
    let listsObjects = rest.elementsEqual("rows with values: (".utf8)
    guard listsObjects || rest.elementsEqual("rows".utf8) else { return nil }
    return .fetched(
      entity: entity, sql: String(decoding: sql.trimmed, as: UTF8.self), rows: rows,
      listsObjects: listsObjects)
  }

  /// Parses a line that ends before its text does; nil if too little of it is there.
  ///
  ///     fault fulfilled from database for : 0xd0000
  ///     total fetch execution time: 0.0053s for 19
  ///     fetch using NSSQLiteStatement <0x6> on entity 'Person' with sql text 'SELECT 0, t0.Z_PK, t0<…>
  init?(cut text: UnsafeRawBufferPointer) {
    var (times, faults, fetches) = (ByteCursor(text), ByteCursor(text), ByteCursor(text))
    if let annotation = Self.time(&times, isCut: true) {
      self = annotation
    } else if faults.consume("fault fulfilled from database for "),
      faults.consumeThrough("0x") != nil
    {
      self = .faultFulfilled(nil)
    } else if let entity = fetches.consumeFetchedEntity() {
      self = .fetched(entity: entity, sql: "", rows: nil, listsObjects: false)
    } else {
      return nil
    }
  }

  /// Whether it is the beginning of a line with a time or rows.
  static func isCut(_ text: UnsafeRawBufferPointer) -> Bool {
    let starts: [StaticString] = [
      "sql connection fetch time: ", "total fetch execution time: ",
      "total count request execution time: ", "fault fulfilled from database for ",
      "to-many relationship fault ", "Prefetching with key ", "fetch using NSSQLiteStatement",
    ]
    return starts.contains { start in
      let count = min(text.count, start.utf8CodeUnitCount)
      return count >= 8
        && text.prefix(count).elementsEqual(
          UnsafeBufferPointer(start: start.utf8Start, count: count))
    }
  }

  private static func other(_ cursor: inout ByteCursor) -> Self? {
    if cursor.consume("Bound intarray ") { return .boundArray }
    if cursor.consume("Connecting to sqlite database file at ") {
      _ = cursor.consume("\"")
      let path = cursor.consume { $0 != UInt8(ascii: "\"") }
      return .connecting(path: String(decoding: path, as: UTF8.self))
    }
    // -com.apple.CoreData.ConcurrencyDebug 1
    if cursor.consume("Core Data multi-threading assertions ") { return .maintenance }
    guard cursor.consume("PostSaveMaintenance: ") else { return nil }
    return cursor.consume("wal_checkpoint") ? .checkpoint : .maintenance
  }
}

/// The object of a fault.
///
///     0xd000000000100002 <x-coredata://9A1C…/Country/p4>
struct CoreDataObjectID {
  let entity: String
  /// 0 for an object that was never saved.
  let pk: Int64

  /// Returns `nil` also where the line ends within it.
  init?(_ cursor: inout ByteCursor) {
    guard let before = cursor.consumeThrough("x-coredata://"), cursor.consumeThrough("/") != nil,
      let entity = cursor.consumeThrough("/")
    else { return nil }
    self.entity = String(decoding: entity, as: UTF8.self)
    pk = cursor.consume("p") ? cursor.consumeNumber().flatMap { Int64(exactly: $0) } ?? 0 : 0
    // Without brackets in 2013.
    if before.last == UInt8(ascii: "<"), cursor.consumeThrough(">") == nil { return nil }
  }
}

extension ByteCursor {
  /// Parses `fetch using NSSQLiteStatement <0x600000> on entity 'Person' `.
  fileprivate mutating func consumeFetchedEntity() -> String? {
    guard consume("fetch using NSSQLiteStatement"), consumeThrough("on entity '") != nil else {
      return nil
    }
    return consumeThrough("'").map { String(decoding: $0, as: UTF8.self) }
  }

  /// Parses `0.0053s`.
  fileprivate mutating func consumeSeconds() -> Nanoseconds? {
    // 9 digits are 31 years; a comma is the point of some locales.
    guard let seconds = consumeNumber(), seconds < 1_000_000_000 else { return nil }
    var nanoseconds = Nanoseconds(seconds) * 1_000_000_000
    if consume(".") || consume(",") {
      var unit: Nanoseconds = 100_000_000
      for digit in consume(while: { $0.isDigit }) {
        nanoseconds += Nanoseconds(digit - UInt8(ascii: "0")) * unit
        unit /= 10
      }
    }
    guard consume("s") else { return nil }
    _ = consume(".")
    return nanoseconds
  }

  fileprivate mutating func consumeNumber() -> UInt64? {
    UInt64(decimal: consume { $0.isDigit })
  }
}

extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension UnsafeRawBufferPointer {
  /// The bytes without the spaces at both ends.
  var trimmed: Self {
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == 9 }
    guard let first = firstIndex(where: { !isSpace($0) }),
      let last = lastIndex(where: { !isSpace($0) })
    else { return Self(rebasing: self[..<0]) }
    return Self(rebasing: self[first...last])
  }
}
