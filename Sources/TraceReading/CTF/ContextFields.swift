// SPDX-License-Identifier: Apache-2.0

import CBabeltrace

/// Where the recorder's contexts `vpid`, `vtid` and `procname` stand in the events of a class.
struct ContextFields {
  private let processID: Place?
  private let threadID: Place?
  private let processName: Place?

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
    processID = place("vpid", "pid", isString: false)
    threadID = place("vtid", "tid", isString: false)
    processName = place("procname", isString: true)
  }

  func processID(of event: OpaquePointer) -> Int64? { processID.flatMap { $0.integer(in: event) } }
  func threadID(of event: OpaquePointer) -> Int64? { threadID.flatMap { $0.integer(in: event) } }
  func processName(of event: OpaquePointer) -> String? {
    processName.flatMap { $0.field(in: event) }
      .map { String(cString: bt_field_string_get_value($0)) }
  }

  private struct Place {
    let index: UInt64
    let type: StructureMember.FieldType
    let isCommon: Bool

    func field(in event: OpaquePointer) -> OpaquePointer? {
      let structure =
        isCommon
        ? bt_event_borrow_common_context_field_const(event)
        : bt_event_borrow_specific_context_field_const(event)
      return structure.flatMap {
        bt_field_structure_borrow_member_field_by_index_const($0, index)
      }
    }

    func integer(in event: OpaquePointer) -> Int64? {
      field(in: event).map {
        type == .signed
          ? bt_field_integer_signed_get_value($0)
          : Int64(truncatingIfNeeded: bt_field_integer_unsigned_get_value($0))
      }
    }
  }
}
