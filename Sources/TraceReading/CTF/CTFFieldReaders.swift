// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Reads the members of a payload one after the other, without a look at their names: their order
/// and types were checked once for the class.
struct InOrderFieldReader: EventFieldReader {
  private var cursor: WordCursor
  private let strings: StringCache

  init(_ payload: WordCursor, strings: StringCache) {
    cursor = payload
    self.strings = strings
  }

  mutating func int64(_ name: StaticString) -> Int64 { Int64(bitPattern: cursor.takeWord()) }
  mutating func uint64(_ name: StaticString) -> UInt64 { cursor.takeWord() }
  mutating func string(_ name: StaticString) -> String { strings.string(cursor.takeText()) }
}

/// Finds each member by its name, and records the order in which the names were requested.
struct ByNameFieldReader: EventFieldReader {
  private let members: [StructureMember]
  /// Where each member begins.
  private let places: [WordCursor]
  private let strings: StringCache
  private(set) var requested: [StructureMember] = []

  init(_ payload: WordCursor, members: [StructureMember], strings: StringCache) {
    self.members = members
    self.strings = strings
    var cursor = payload
    places = members.map { member in
      let place = cursor
      switch member.type {
      case .signed, .unsigned: _ = cursor.takeWord()
      case .string: _ = cursor.takeText()
      case .other: break
      }
      return place
    }
  }

  mutating func int64(_ name: StaticString) throws(EventFieldError) -> Int64 {
    var (place, type) = try find(name, as: .signed)
    guard type == .signed || type == .unsigned else {
      throw .malformed(field: "\(name)", value: "not an integer")
    }
    let word = place.takeWord()
    if type == .signed { return Int64(bitPattern: word) }
    guard let value = Int64(exactly: word) else {
      throw .malformed(field: "\(name)", value: "\(word)")
    }
    return value
  }

  mutating func uint64(_ name: StaticString) throws(EventFieldError) -> UInt64 {
    var (place, type) = try find(name, as: .unsigned)
    guard type == .signed || type == .unsigned else {
      throw .malformed(field: "\(name)", value: "not an integer")
    }
    let word = place.takeWord()
    if type == .unsigned { return word }
    let value = Int64(bitPattern: word)
    guard let value = UInt64(exactly: value) else {
      throw .malformed(field: "\(name)", value: "\(value)")
    }
    return value
  }

  mutating func string(_ name: StaticString) throws(EventFieldError) -> String {
    var (place, type) = try find(name, as: .string)
    guard type == .string else { throw .malformed(field: "\(name)", value: "not a string") }
    return strings.string(place.takeText())
  }

  private mutating func find(
    _ name: StaticString, as type: StructureMember.FieldType
  ) throws(EventFieldError) -> (WordCursor, StructureMember.FieldType) {
    let name = "\(name)"
    requested.append(StructureMember(name: name, type: type))
    guard let index = members.firstIndex(where: { $0.name == name }) else {
      throw .missing(field: name)
    }
    return (places[index], members[index].type)
  }
}
