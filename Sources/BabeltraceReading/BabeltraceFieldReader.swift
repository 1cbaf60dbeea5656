// SPDX-License-Identifier: Apache-2.0

import CBabeltrace
import StoreEvents
import TraceReading

/// Finds each field of a payload by its name.
struct BabeltraceFieldReader: EventFieldReader {
  private let payload: OpaquePointer
  private let members: [String: StructureMember]
  private let strings: StringCache

  init(_ payload: OpaquePointer, _ members: [String: StructureMember], _ strings: StringCache) {
    self.payload = payload
    self.members = members
    self.strings = strings
  }

  func int64(_ name: StaticString) throws(EventFieldError) -> Int64 {
    let member = try find(name)
    switch member.type {
    case .signed: return bt_field_integer_signed_get_value(member.field(in: payload))
    case .unsigned:
      let value = bt_field_integer_unsigned_get_value(member.field(in: payload))
      guard let value = Int64(exactly: value) else {
        throw .malformed(field: "\(name)", value: "\(value)")
      }
      return value
    case .string, .other: throw .malformed(field: "\(name)", value: "not an integer")
    }
  }

  func uint64(_ name: StaticString) throws(EventFieldError) -> UInt64 {
    let member = try find(name)
    switch member.type {
    case .unsigned: return bt_field_integer_unsigned_get_value(member.field(in: payload))
    case .signed:
      let value = bt_field_integer_signed_get_value(member.field(in: payload))
      guard let value = UInt64(exactly: value) else {
        throw .malformed(field: "\(name)", value: "\(value)")
      }
      return value
    case .string, .other: throw .malformed(field: "\(name)", value: "not an integer")
    }
  }

  func string(_ name: StaticString) throws(EventFieldError) -> String {
    let member = try find(name)
    guard member.type == .string else {
      throw .malformed(field: "\(name)", value: "not a string")
    }
    return strings.string(member.text(in: payload))
  }

  private func find(_ name: StaticString) throws(EventFieldError) -> StructureMember {
    guard let member = members["\(name)"] else { throw .missing(field: "\(name)") }
    return member
  }
}
