// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreInstruments

extension RowSnapshot {
  /// Stands for a row that was deleted: newer than any version of it, and as immutable as all are.
  nonisolated(unsafe) static let deleted = make(
    primaryKey: 0, version: .max, loadedAt: 0, layout: RowLayout(kinds: []), words: nil,
    wordCount: 0)

  static func make(
    primaryKey: Int64, version: Int64, loadedAt: Int64, layout: RowLayout,
    words: UnsafePointer<UInt64>?, wordCount: Int
  ) -> RowSnapshot {
    let header = RowHeader(
      primaryKey: primaryKey, version: version, loadedAt: loadedAt,
      nullWordCount: layout.nullWordCount, wordCount: wordCount)
    let buffer = RowSnapshot.create(minimumCapacity: wordCount) { _ in header }
    if let words {
      buffer.withUnsafeMutablePointerToElements { $0.update(from: words, count: wordCount) }
    }
    return unsafeDowncast(buffer, to: RowSnapshot.self)
  }

  /// The value in a slot, for the slow paths: by name, comparison, binding.
  func storeValue(_ slot: Int, in entity: EntityDescription) -> StoreValue {
    guard !isNull(slot) else { return .null }
    guard slot < entity.attributes.count else {
      let index = slot - entity.attributes.count
      guard index < entity.toOnes.count else { return .integer(integer(slot)) }
      let destination = destination(of: entity.toOnes[index])
      return .object(
        ManagedObjectID(reference: destination.reference, primaryKey: integer(slot)))
    }
    switch entity.attributes[slot].type {
    case .int16, .int32, .int64: return .integer(integer(slot))
    case .bool: return .bool(integer(slot) != 0)
    case .double, .float: return .double(double(slot))
    case .string: return .string(String(row: self, slot: slot))
    case .date: return .date(Date(row: self, slot: slot))
    case .data: return .data(Data(row: self, slot: slot))
    case .uuid: return .uuid(UUID(row: self, slot: slot))
    case .url: return .url(URL(row: self, slot: slot))
    }
  }
}

extension RowSnapshot {
  /// The entity of what a to-one relationship leads to, which may inherit from the declared one.
  private func destination(of toOne: RelationshipDescription) -> EntityDescription {
    guard let slot = toOne.entitySlot, !isNull(slot) else { return toOne.destination }
    return toOne.destination.entity(numbered: integer(slot))
  }

  /// The entity of the row, where its table holds a hierarchy.
  func entity(in declared: EntityDescription) -> EntityDescription {
    guard declared.hierarchy != nil else { return declared }
    return declared.entity(numbered: integer(declared.rowLayout.slotCount))
  }
}

/// Builds snapshots: one buffer to gather a row in, one copy into its own allocation.
struct RowBuilder: ~Copyable {
  private let layout: RowLayout
  private var words: UnsafeMutablePointer<UInt64>
  private var capacity: Int
  private var wordCount = 0
  private var byteCount = 0
  // Once per builder: a clock read per row would cost as much as the row's allocation.
  private let loadedAt = TraceClock.coarseNow

  init(layout: RowLayout) {
    self.layout = layout
    capacity = layout.fixedWordCount + 64
    words = .allocate(capacity: capacity)
  }

  deinit { words.deallocate() }

  mutating func begin() {
    words.update(repeating: 0, count: layout.nullWordCount)
    if let entityID = layout.entityID { set(layout.kinds.count, UInt64(bitPattern: entityID)) }
    wordCount = layout.fixedWordCount
    byteCount = wordCount &* 8
  }

  mutating func setNull(_ slot: Int) {
    words[slot &>> 6] |= 1 &<< UInt64(slot & 63)
    words[layout.nullWordCount &+ slot] = 0
  }

  mutating func set(_ slot: Int, _ word: UInt64) { words[layout.nullWordCount &+ slot] = word }

  mutating func set(_ slot: Int, bytes: UnsafeRawBufferPointer) {
    words[layout.nullWordCount &+ slot] = UInt64(byteCount) &<< 32 | UInt64(bytes.count)
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    reserve(byteCount &+ bytes.count)
    UnsafeMutableRawPointer(words).advanced(by: byteCount)
      .copyMemory(from: start, byteCount: bytes.count)
    byteCount &+= bytes.count
  }

  func makeSnapshot(primaryKey: Int64, version: Int64) -> RowSnapshot {
    RowSnapshot.make(
      primaryKey: primaryKey, version: version, loadedAt: loadedAt, layout: layout, words: words,
      wordCount: (byteCount &+ 7) / 8)
  }

  private mutating func reserve(_ bytes: Int) {
    guard bytes > capacity &* 8 else { return }
    let larger = max(capacity * 2, (bytes + 7) / 8)
    let new = UnsafeMutablePointer<UInt64>.allocate(capacity: larger)
    UnsafeMutableRawPointer(new).copyMemory(from: words, byteCount: byteCount)
    words.deallocate()
    words = new
    capacity = larger
  }
}

extension RowBuilder {
  /// Reads the row a statement stands on: `0, Z_PK, Z_OPT`, then the columns of the slots.
  mutating func read(_ statement: Statement) -> RowSnapshot {
    begin()
    for slot in 0..<layout.kinds.count {
      let column = Int32(truncatingIfNeeded: slot &+ 3)
      guard !statement.isNull(column) else {
        setNull(slot)
        continue
      }
      switch layout.kinds[slot] {
      case .integer: set(slot, UInt64(bitPattern: statement.int64(column)))
      case .real: set(slot, statement.double(column).bitPattern)
      case .text: set(slot, bytes: UnsafeRawBufferPointer(statement.utf8(column)))
      case .blob: set(slot, bytes: statement.blob(column))
      }
    }
    if layout.entityID != nil {
      set(layout.kinds.count, UInt64(bitPattern: statement.int64(0)))
    }
    return makeSnapshot(primaryKey: statement.int64(1), version: statement.int64(2))
  }

  /// Puts a value in a slot, of the kind that the slot has.
  mutating func set(_ slot: Int, _ value: StoreValue) {
    switch value {
    case .null: setNull(slot)
    case .bool(let bool): set(slot, bool ? 1 : 0)
    case .integer(let integer): set(slot, UInt64(bitPattern: integer))
    case .double(let double): set(slot, double.bitPattern)
    case .date(let date): set(slot, date.timeIntervalSinceReferenceDate.bitPattern)
    case .string(let string): setText(slot, string)
    case .url(let url): setText(slot, url.absoluteString)
    case .data(let data): data.withUnsafeBytes { set(slot, bytes: $0) }
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { set(slot, bytes: $0) }
    case .object(let id): set(slot, UInt64(bitPattern: id.primaryKey))
    }
  }

  private mutating func setText(_ slot: Int, _ text: String) {
    var text = text
    text.withUTF8 { set(slot, bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Takes over a slot of an older snapshot.
  mutating func copy(_ slot: Int, from row: RowSnapshot) {
    guard !row.isNull(slot) else { return setNull(slot) }
    switch layout.kinds[slot] {
    case .integer, .real: set(slot, row.word(slot))
    case .text, .blob: row.withBytes(slot) { set(slot, bytes: $0) }
    }
  }
}
