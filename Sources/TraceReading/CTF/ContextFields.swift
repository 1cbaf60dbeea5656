// SPDX-License-Identifier: Apache-2.0

import CBabeltrace

/// Where the recorder's contexts `vpid`, `vtid` and `procname` stand in the events of a class.
struct ContextFields {
  private let identifiers: Identifiers
  private let processName: Name

  /// The contexts of one event.
  struct Values {
    var processID: Int64?
    var threadID: Int64?
    fileprivate var name: UnsafeRawBufferPointer?

    var processName: String? {
      name.map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
  }

  private enum Identifiers {
    case apart(process: Place?, thread: Place?)
    /// As ``WidenedTrace`` has them.
    case together(Place)
  }

  private enum Name {
    case none
    case text(Place)
    /// Its bytes, as ``WidenedTrace`` has them: eight in each number, those of the last fewer.
    case words([Place])
  }

  init(common: [StructureMember], specific: [StructureMember]) {
    func place(_ names: String..., isString: Bool) -> Place? {
      for name in names {
        for (members, isCommon) in [(common, true), (specific, false)] {
          if let index = members.firstIndex(where: { $0.name == name }),
            members[index].type != .other, (members[index].type == .string) == isString
          {
            return Place(index: UInt64(index), type: members[index].type, isCommon: isCommon)
          }
        }
      }
      return nil
    }
    let together = place(WidenedTrace.identifiers, isString: false)
    identifiers =
      together.map(Identifiers.together)
      ?? .apart(
        process: place("vpid", "pid", isString: false),
        thread: place("vtid", "tid", isString: false))
    let words = (0..<WidenedTrace.maxWords).map {
      place(WidenedTrace.name(ofWord: $0, in: "procname"), isString: false)
    }
    let name = place("procname", isString: true)
    let isWidened = name == nil && words[0] != nil
    processName = isWidened ? .words(words.compactMap(\.self)) : name.map(Name.text) ?? .none
  }

  /// Copies the contexts of an event.
  func copy(of event: OpaquePointer, to batch: EventBatch) {
    batch.reserve(3 + WidenedTrace.maxWords)
    switch identifiers {
    case .together(let place): batch.append(place.word(in: event))
    case .apart(let process, let thread):
      if let process { batch.append(process.word(in: event)) }
      if let thread { batch.append(thread.word(in: event)) }
    }
    switch processName {
    case .none: break
    case .text(let place): batch.append(text: place.field(in: event))
    case .words(let places):
      batch.append(UInt64(places.count * 8))
      for place in places { batch.append(place.word(in: event).littleEndian) }
    }
  }

  /// Reads what ``copy(of:to:)`` wrote.
  func values(_ cursor: inout WordCursor) -> Values {
    var values = Values()
    switch identifiers {
    case .together:
      let word = cursor.takeWord()
      values.processID = Int64(Int32(truncatingIfNeeded: word))
      values.threadID = Int64(Int32(truncatingIfNeeded: word >> 32))
    case .apart(let process, let thread):
      if process != nil { values.processID = Int64(bitPattern: cursor.takeWord()) }
      if thread != nil { values.threadID = Int64(bitPattern: cursor.takeWord()) }
    }
    if case .none = processName { return values }
    values.name = cursor.takeText()
    return values
  }

  private struct Place {
    let index: UInt64
    let type: StructureMember.FieldType
    let isCommon: Bool

    func field(in event: OpaquePointer) -> OpaquePointer? {
      // Present, since the class has a member there.
      let structure =
        isCommon
        ? bt_event_borrow_common_context_field_const(event)
        : bt_event_borrow_specific_context_field_const(event)
      return bt_field_structure_borrow_member_field_by_index_const(structure, index)
    }

    func word(in event: OpaquePointer) -> UInt64 {
      type == .signed
        ? UInt64(bitPattern: bt_field_integer_signed_get_value(field(in: event)))
        : bt_field_integer_unsigned_get_value(field(in: event))
    }
  }
}
