// SPDX-License-Identifier: Apache-2.0

import CBabeltrace
import StoreEvents

/// Reads the members of a payload one after the other, without a look at their names: their order
/// and types were checked once for the class.
struct InOrderFieldReader: EventFieldReader {
  private let payload: OpaquePointer
  private let strings: StringCache
  private var index: UInt64 = 0

  init(_ payload: OpaquePointer, strings: StringCache) {
    self.payload = payload
    self.strings = strings
  }

  private mutating func next() -> OpaquePointer? {
    defer { index &+= 1 }
    return bt_field_structure_borrow_member_field_by_index_const(payload, index)
  }

  mutating func int64(_ name: StaticString) -> Int64 { bt_field_integer_signed_get_value(next()) }

  mutating func uint64(_ name: StaticString) -> UInt64 {
    bt_field_integer_unsigned_get_value(next())
  }

  mutating func string(_ name: StaticString) -> String { strings.string(field: next()) }
}

/// Finds each member by its name, and notes the order in which the names were asked for.
struct ByNameFieldReader: EventFieldReader {
  private let payload: OpaquePointer
  private let members: [StructureMember]
  private let strings: StringCache
  private(set) var asked: [StructureMember] = []

  init(_ payload: OpaquePointer, members: [StructureMember], strings: StringCache) {
    self.payload = payload
    self.members = members
    self.strings = strings
  }

  mutating func int64(_ name: StaticString) throws(EventFieldError) -> Int64 {
    let (field, type) = try find(name, as: .signed)
    if type == .signed { return bt_field_integer_signed_get_value(field) }
    let value = bt_field_integer_unsigned_get_value(field)
    guard type == .unsigned, let value = Int64(exactly: value) else {
      throw .malformed(field: "\(name)", value: type == .unsigned ? "\(value)" : "not an integer")
    }
    return value
  }

  mutating func uint64(_ name: StaticString) throws(EventFieldError) -> UInt64 {
    let (field, type) = try find(name, as: .unsigned)
    if type == .unsigned { return bt_field_integer_unsigned_get_value(field) }
    let value = bt_field_integer_signed_get_value(field)
    guard type == .signed, let value = UInt64(exactly: value) else {
      throw .malformed(field: "\(name)", value: type == .signed ? "\(value)" : "not an integer")
    }
    return value
  }

  mutating func string(_ name: StaticString) throws(EventFieldError) -> String {
    let (field, type) = try find(name, as: .string)
    guard type == .string else { throw .malformed(field: "\(name)", value: "not a string") }
    return strings.string(field: field)
  }

  private mutating func find(
    _ name: StaticString, as type: StructureMember.FieldType
  ) throws(EventFieldError) -> (OpaquePointer, StructureMember.FieldType) {
    let name = "\(name)"
    asked.append(StructureMember(name: name, type: type))
    guard let index = members.firstIndex(where: { $0.name == name }),
      let field = bt_field_structure_borrow_member_field_by_index_const(payload, UInt64(index))
    else { throw .missing(field: name) }
    return (field, members[index].type)
  }
}

extension StringCache {
  fileprivate func string(field: OpaquePointer?) -> String {
    let length = Int(truncatingIfNeeded: bt_field_string_get_length(field))
    return string(UnsafeRawBufferPointer(start: bt_field_string_get_value(field), count: length))
  }
}
