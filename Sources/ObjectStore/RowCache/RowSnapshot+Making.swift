// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreInstruments

extension RowSnapshot {
  /// Stands for a row that was deleted: newer than any version of it, and as immutable as all are.
  static let deleted: RowSnapshot = {
    var builder = RowBuilder(layout: RowLayout(kinds: []))
    builder.begin()
    let row = builder.makeSnapshot(primaryKey: 0, version: .max)
    // All row caches have it, and so none counts it.
    UnsafeMutablePointer(mutating: row.pointer.words)[RowPointer.page] = 0
    return row
  }()

  /// Retains the page of a row.
  init(_ pointer: RowPointer) {
    guard let page = pointer.unretainedPage else {
      self = .deleted
      return
    }
    self.init(page: page.takeUnretainedValue(), pointer: pointer)
  }

  /// Copies a row into a separate page.
  init(copying row: RowPointer) {
    let known = RowSnapshot(row)
    guard row != RowSnapshot.deleted.pointer else {
      self = known
      return
    }
    self =
      RowPage.make(
        row.words, wordCount: row.wordCount, rowCount: 1, loadedAt: known.loadedAt
      ).first
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
    case .double, .float: return .double(value(slot))
    case .decimal: return .decimal(value(slot))
    case .string: return .string(value(slot))
    case .date: return .date(value(slot))
    case .data where isExternal(slot): return .external(externalReference(slot))
    case .data: return .data(value(slot))
    case .uuid: return .uuid(value(slot))
    case .url: return .url(value(slot))
    }
  }
}

extension RowSnapshot {
  func externalReference(_ slot: Int) -> ExternalDataReference {
    let extent = word(slot) & ~RowBuilder.externalFlag
    let start = UnsafeRawPointer(pointer.words + RowPointer.headerWords) + Int(extent &>> 32)
    return withExtendedLifetime(page) {
      ExternalDataReference(
        snapshot: UnsafeRawBufferPointer(start: start, count: Int(extent & 0xffff_ffff)))
    }
  }

  /// The entity of a to-one relationship's destination, which may inherit from the declared one.
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

/// Builds pages: one buffer to gather rows in, one copy into an allocation of their size.
struct RowBuilder: ~Copyable {
  private let layout: RowLayout
  // Computed from an array's count, which a row in progress reads at every value.
  private let slotCount: Int
  private let nullWordCount: Int
  private let fixedWordCount: Int
  // Allocated for the first row: many statements find none.
  private var words = Self.none
  private var capacity = 0
  /// The start of the current row, in words.
  private var start = 0
  /// The number of rows before the current one.
  private var rowCount = 0
  /// The offset of the current row's next text, in bytes from the row's first null word.
  private var byteCount = 0
  // Once per statement: a clock read per row would cost as much as the row.
  private var loadedAt = TraceClock.coarseNow

  // A row is at most 2^31 bytes long, so that the highest bit of an extent is free.
  static let externalFlag: UInt64 = 1 << 63

  private nonisolated(unsafe) static let none = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)

  private let pageWords: Int
  // A page is freed as a whole: 4 KiB is several dozen rows, and small compared with a photo.
  static let usualPageWords = 512
  // 64 KiB for each entity and reader at most.
  private static let maxKeptWords = 8192

  /// Makes a builder of single rows, or of pages.
  init(layout: RowLayout, pageWords: Int = 0) {
    self.layout = layout
    slotCount = layout.slotCount
    nullWordCount = layout.nullWordCount
    fixedWordCount = layout.fixedWordCount
    self.pageWords = pageWords
  }

  /// Makes it ready for the next statement.
  mutating func restart() {
    (start, rowCount) = (0, 0)
    loadedAt = TraceClock.coarseNow
    // The capacity is not kept for a single large blob.
    guard capacity > Self.maxKeptWords else { return }
    words.deallocate()
    capacity = 0
  }

  deinit { if capacity > 0 { words.deallocate() } }

  /// Whether the rows are enough for a page.
  var isFull: Bool { start >= pageWords }
  var isEmpty: Bool { start == 0 }
  // Into a constant before a word is changed in place: the thread sanitizer mistakes a change
  // through a computed property's pointer for a change of the first property's buffer, the
  // layout's.
  private var nulls: UnsafeMutablePointer<UInt64> { words + start + RowPointer.headerWords }

  mutating func begin() {
    reserve(fixedWordCount)
    nulls.update(repeating: 0, count: nullWordCount)
    if let entityID = layout.entityID { set(layout.slotCount, UInt64(bitPattern: entityID)) }
    byteCount = (fixedWordCount &- RowPointer.headerWords) &* 8
  }

  mutating func setNull(_ slot: Int) {
    let nulls = nulls
    nulls[slot &>> 6] |= 1 &<< UInt64(slot & 63)
    nulls[nullWordCount &+ slot] = 0
  }

  /// Sets a value for which ``setNull(_:)`` has set none.
  mutating func replaceNull(_ slot: Int, _ value: StoreValue) {
    let nulls = nulls
    nulls[slot &>> 6] &= ~(1 &<< UInt64(slot & 63))
    set(slot, value)
  }

  mutating func set(_ slot: Int, _ word: UInt64) { nulls[nullWordCount &+ slot] = word }

  mutating func set(_ slot: Int, bytes: UnsafeRawBufferPointer) {
    nulls[nullWordCount &+ slot] = UInt64(byteCount) &<< 32 | UInt64(bytes.count)
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    reserve(RowPointer.headerWords &+ (byteCount &+ bytes.count &+ 7) / 8)
    UnsafeMutableRawPointer(nulls).advanced(by: byteCount)
      .copyMemory(from: source, byteCount: bytes.count)
    byteCount &+= bytes.count
  }

  /// Sets a reference to a file instead of bytes; nothing, if it is damaged.
  mutating func set(_ slot: Int, external reference: ExternalDataReference) {
    if let uuid = reference.uuid {
      withUnsafeBytes(of: uuid.uuid) { set(slot, bytes: $0) }
    } else {
      set(slot, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
    }
    let nulls = nulls
    nulls[nullWordCount &+ slot] |= Self.externalFlag
  }

  /// Ends the row that was begun.
  mutating func end(primaryKey: Int64, version: Int64) {
    let wordCount = RowPointer.headerWords &+ (byteCount &+ 7) / 8
    words[start] = UInt64(bitPattern: primaryKey)
    words[start &+ 1] = UInt64(bitPattern: version)
    words[start &+ RowPointer.page] = 0
    words[start &+ RowPointer.counts] =
      UInt64(wordCount) &<< 32 | UInt64(nullWordCount)
    start &+= wordCount
    rowCount &+= 1
  }

  /// Returns the rows ended since the last page.
  mutating func takePage() -> RowPage {
    defer { (start, rowCount) = (0, 0) }
    return RowPage.make(words, wordCount: start, rowCount: rowCount, loadedAt: loadedAt)
  }

  /// Ends the row that was begun, and returns it alone.
  mutating func makeSnapshot(primaryKey: Int64, version: Int64) -> RowSnapshot {
    end(primaryKey: primaryKey, version: version)
    return takePage().first
  }

  /// Makes room for a number of words from the row's beginning.
  private mutating func reserve(_ count: Int) {
    guard start &+ count > capacity else { return }
    let larger = max(capacity * 2, start + count, pageWords + fixedWordCount + 64)
    let new = UnsafeMutablePointer<UInt64>.allocate(capacity: larger)
    if capacity > 0 {
      new.update(from: words, count: capacity)
      words.deallocate()
    }
    words = new
    capacity = larger
  }
}

extension RowBuilder {
  /// Reads a row: `0, Z_PK, Z_OPT`, then the columns of the slots.
  @inline(__always)
  mutating func read(_ row: some RowColumns) {
    begin()
    var column: Int32 = 3
    for slot in 0..<slotCount {
      let kind = layout.kinds[slot]
      switch kind {
      case .integer:
        // Only a 0 can be NULL, which needs a second call; the same applies to a real.
        let value = row.int64(column)
        if value == 0, row.isNull(column) {
          setNull(slot)
        } else {
          set(slot, UInt64(bitPattern: value))
        }
      case .real:
        let value = row.double(column)
        if value == 0, row.isNull(column) {
          setNull(slot)
        } else {
          set(slot, value.bitPattern)
        }
      case .text, .blob, .external:
        let value = row.value(column)
        let bytes = kind == .text ? value.utf8 : value.blob
        // An empty blob has no address either.
        if bytes.baseAddress == nil, value.isNull {
          setNull(slot)
        } else if kind == .external {
          set(slot, column: ExternalDataColumn(bytes))
        } else {
          set(slot, bytes: bytes)
        }
      }
      column &+= 1
    }
    if layout.entityID != nil {
      set(layout.slotCount, UInt64(bitPattern: row.int64(0)))
    }
    end(primaryKey: row.int64(1), version: row.int64(2))
  }

  private mutating func set(_ slot: Int, column: ExternalDataColumn) {
    switch column {
    case .inline(let bytes): set(slot, bytes: bytes)
    case .reference(let reference): set(slot, external: reference)
    }
  }

  /// Sets a value of the slot's kind in a slot.
  mutating func set(_ slot: Int, _ value: StoreValue) {
    switch value {
    case .null: setNull(slot)
    case .bool(let bool): set(slot, bool ? 1 : 0)
    case .integer(let integer): set(slot, UInt64(bitPattern: integer))
    case .double(let double): set(slot, double.bitPattern)
    case .decimal(let decimal): set(slot, decimal.storedNumber.bitPattern)
    case .date(let date): set(slot, date.timeIntervalSinceReferenceDate.bitPattern)
    case .string(let string): setText(slot, string)
    case .url(let url): setText(slot, url.absoluteString)
    case .data(let data): data.withUnsafeBytes { set(slot, bytes: $0) }
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { set(slot, bytes: $0) }
    case .object(let id): set(slot, UInt64(bitPattern: id.primaryKey))
    case .external(let reference): set(slot, external: reference)
    }
  }

  private mutating func setText(_ slot: Int, _ text: String) {
    var text = text
    text.withUTF8 { set(slot, bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Copies a slot of an older snapshot.
  mutating func copy(_ slot: Int, from row: RowSnapshot) {
    guard !row.isNull(slot) else { return setNull(slot) }
    switch layout.kinds[slot] {
    case .integer, .real: set(slot, row.word(slot))
    case .external where row.isExternal(slot): set(slot, external: row.externalReference(slot))
    case .text, .blob, .external: row.withBytes(slot) { set(slot, bytes: $0) }
    }
  }
}
