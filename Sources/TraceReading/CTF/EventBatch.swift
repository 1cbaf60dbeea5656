// SPDX-License-Identifier: Apache-2.0

import CBabeltrace

/// Events copied from libbabeltrace2, whose own objects only one thread may touch.
///
/// An event is a run of words:
///
///     │ its class and shape │ words in all │ time │ contexts … │ payload … │
///
/// A number is one word; a text is its length in bytes, and as many words as hold them.
///
/// Unchecked: it has one owner at a time, who fills it or reads it.
final class EventBatch: @unchecked Sendable {
  /// What an event has.
  enum Shape: UInt64 {
    case whole, unknown, untimed, empty
  }

  /// Classes that no batch before this one had, in the order of their numbers.
  private(set) var newClasses: [EventClassSchema] = []
  /// Events that the tracer discarded.
  private(set) var eventsLost: UInt64 = 0
  private(set) var hasLostPackets = false
  /// What ended the reading before the trace's end.
  var damage: BabeltraceError?
  /// Whether no batch follows.
  var isLast = false

  private var words: UnsafeMutablePointer<UInt64>
  private var capacity: Int
  private var count = 0

  // 16,384 words are 128 KiB and some 700 events; arbitrary.
  private static let usualCapacity = 16 << 10
  // An event of usual size still fits; arbitrary.
  private static let full = usualCapacity - 256

  init() {
    capacity = Self.usualCapacity
    words = .allocate(capacity: capacity)
  }

  deinit { words.deallocate() }

  var isFull: Bool { count >= Self.full }
  var cursor: WordCursor { WordCursor(words, count) }

  func removeAll() {
    newClasses.removeAll()
    eventsLost = 0
    hasLostPackets = false
    count = 0
    // An event with a text of many megabytes is rare.
    if capacity > 4 * Self.usualCapacity { resize(Self.usualCapacity) }
  }

  // MARK: - Filling

  func add(_ schema: EventClassSchema) { newClasses.append(schema) }

  func addLost(events: UInt64) {
    let (sum, overflow) = eventsLost.addingReportingOverflow(events)
    eventsLost = overflow ? .max : sum
  }

  func addLostPackets(_ count: UInt64) {
    addLost(events: count)
    hasLostPackets = true
  }

  /// Adds an event, whose words `fill` appends.
  func addEvent(
    ofClass number: Int, _ shape: Shape, time: Int64 = 0, _ fill: (EventBatch) -> Void = { _ in }
  ) {
    let start = count
    reserve(3)
    append(UInt64(number) << 8 | shape.rawValue)
    append(0)
    append(UInt64(bitPattern: time))
    fill(self)
    words[start + 1] = UInt64(count - start)
  }

  /// Appends the members of a structure, by their types.
  func append(_ structure: OpaquePointer, _ types: [StructureMember.FieldType]) {
    reserve(types.count)
    var place = words + count
    for index in types.indices {
      let field = bt_field_structure_borrow_member_field_by_index_const(structure, UInt64(index))
      switch types[index] {
      case .signed:
        place.pointee = UInt64(bitPattern: bt_field_integer_signed_get_value(field))
        place += 1
      case .unsigned:
        place.pointee = bt_field_integer_unsigned_get_value(field)
        place += 1
      case .string:
        count = place - words
        append(text: field)
        reserve(types.count - index)
        place = words + count
      case .other: break
      }
    }
    count = place - words
  }

  func append(text field: OpaquePointer?) {
    let length = Int(truncatingIfNeeded: bt_field_string_get_length(field))
    append(text: UnsafeRawBufferPointer(start: bt_field_string_get_value(field), count: length))
  }

  func append(text: UnsafeRawBufferPointer) {
    reserve(1 + text.wordCount)
    append(UInt64(text.count))
    UnsafeMutableRawBufferPointer(start: words + count, count: text.count).copyMemory(from: text)
    count += text.wordCount
  }

  /// Appends a word, for which there must be room.
  func append(_ word: UInt64) {
    words[count] = word
    count += 1
  }

  func reserve(_ room: Int) {
    if capacity - count < room { resize(max(count + room, capacity * 2)) }
  }

  private func resize(_ capacity: Int) {
    let words = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
    words.update(from: self.words, count: count)
    self.words.deallocate()
    self.words = words
    self.capacity = capacity
  }
}

/// A place among the words of a batch.
struct WordCursor {
  private var place: UnsafePointer<UInt64>
  private let end: UnsafePointer<UInt64>

  init(_ words: UnsafePointer<UInt64>, _ count: Int) {
    place = words
    end = words + count
  }

  /// Steps over the words of one event; `nil` at the end.
  mutating func takeEvent() -> WordCursor? {
    guard place < end else { return nil }
    let event = WordCursor(place, Int(place[1]))
    place = event.end
    return event
  }

  /// Reads what ``EventBatch/addEvent(ofClass:_:time:_:)`` put before the contexts.
  mutating func takeHead() -> (classNumber: Int, EventBatch.Shape, time: Int64) {
    let head = takeWord()
    _ = takeWord()
    return (
      Int(head >> 8), EventBatch.Shape(rawValue: head & 0xff) ?? .unknown,
      Int64(bitPattern: takeWord())
    )
  }

  mutating func takeWord() -> UInt64 {
    precondition(place < end, "a word beyond those of an event")
    defer { place += 1 }
    return place.pointee
  }

  mutating func takeText() -> UnsafeRawBufferPointer {
    let text = UnsafeRawBufferPointer(start: place + 1, count: Int(takeWord()))
    precondition(text.wordCount <= end - place, "a text beyond the words of an event")
    place += text.wordCount
    return text
  }
}

extension UnsafeRawBufferPointer {
  /// How many words hold the bytes.
  fileprivate var wordCount: Int { (count + 7) / 8 }
}
