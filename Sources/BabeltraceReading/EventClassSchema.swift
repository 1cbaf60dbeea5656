// SPDX-License-Identifier: Apache-2.0

import CBabeltrace
import StoreEvents
import TraceReading

/// What is known of one event class, found out once.
final class EventClassSchema {
  /// The class's name without the provider, such as `fetch_end`.
  let name: String
  /// `nil` if the class is not of this vocabulary.
  let kind: StoreEvent.Kind?
  /// The members of the payload.
  let members: [String: StructureMember]
  let hasClock: Bool
  let environment: TraceEnvironment
  private let commonContexts: [String: StructureMember]
  private let specificContexts: [String: StructureMember]

  /// - Parameter event: one of the class.
  init(_ eventClass: OpaquePointer, of event: OpaquePointer) {
    let fullName = bt_event_class_get_name(eventClass).map { String(cString: $0) } ?? ""
    let prefix = StoreEvent.providers.lazy.map { $0 + ":" }.first(where: fullName.hasPrefix)
    name = String(fullName.dropFirst(prefix?.count ?? 0))
    kind = prefix == nil ? nil : StoreEvent.Kind(rawValue: name)
    members = StructureMember.all(of: bt_event_class_borrow_payload_field_class_const(eventClass))
    let streamClass = bt_event_class_borrow_stream_class_const(eventClass)
    hasClock = bt_stream_class_borrow_default_clock_class_const(streamClass) != nil
    commonContexts = StructureMember.all(
      of: bt_stream_class_borrow_event_common_context_field_class_const(streamClass))
    specificContexts = StructureMember.all(
      of: bt_event_class_borrow_specific_context_field_class_const(eventClass))
    environment = TraceEnvironment(
      bt_stream_borrow_trace_const(bt_event_borrow_stream_const(event)))
  }

  /// The recorder's contexts `vpid`, `vtid` and `procname` of an event.
  func contexts(of event: OpaquePointer) -> ContextValues {
    let scopes = [
      (commonContexts, bt_event_borrow_common_context_field_const(event)),
      (specificContexts, bt_event_borrow_specific_context_field_const(event)),
    ]
    func find(
      _ names: String..., isText: Bool
    ) -> (member: StructureMember, scope: OpaquePointer)? {
      for name in names {
        for (members, scope) in scopes {
          if let member = members[name], member.type != .other,
            (member.type == .string) == isText, let scope
          {
            return (member, scope)
          }
        }
      }
      return nil
    }
    var values = ContextValues()
    values.processID = find("vpid", "pid", isText: false).map { $0.member.word(in: $0.scope) }
    values.threadID = find("vtid", "tid", isText: false).map { $0.member.word(in: $0.scope) }
    values.name = find("procname", isText: true).map { $0.member.text(in: $0.scope) }
    return values
  }
}

/// A member of a structure field class.
struct StructureMember {
  enum FieldType { case signed, unsigned, string, other }

  let index: UInt64
  let type: FieldType

  static func all(of structure: OpaquePointer?) -> [String: StructureMember] {
    guard let structure else { return [:] }
    var members: [String: StructureMember] = [:]
    for index in 0..<bt_field_class_structure_get_member_count(structure) {
      let member = bt_field_class_structure_borrow_member_by_index_const(structure, index)
      let fieldClass = bt_field_class_structure_member_borrow_field_class_const(member)
      members[String(cString: bt_field_class_structure_member_get_name(member))] = StructureMember(
        index: index, type: FieldType(bt_field_class_get_type(fieldClass)))
    }
    return members
  }

  func field(in structure: OpaquePointer) -> OpaquePointer? {
    bt_field_structure_borrow_member_field_by_index_const(structure, index)
  }

  /// The value of an integer.
  func word(in structure: OpaquePointer) -> Int64 {
    let field = field(in: structure)
    return type == .signed
      ? bt_field_integer_signed_get_value(field)
      : Int64(bitPattern: bt_field_integer_unsigned_get_value(field))
  }

  /// The bytes of a string, valid as long as its event.
  func text(in structure: OpaquePointer) -> UnsafeRawBufferPointer {
    let field = field(in: structure)
    return UnsafeRawBufferPointer(
      start: bt_field_string_get_value(field),
      count: Int(truncatingIfNeeded: bt_field_string_get_length(field)))
  }
}

extension StructureMember.FieldType {
  /// An enumeration is an integer whose values have labels.
  fileprivate init(_ type: bt_field_class_type) {
    self =
      if bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER) != 0 {
        .unsigned
      } else if bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER) != 0 {
        .signed
      } else if type == BT_FIELD_CLASS_TYPE_STRING {
        .string
      } else {
        .other
      }
  }
}

extension TraceEnvironment {
  fileprivate init(_ trace: OpaquePointer?) {
    func value(_ name: String) -> OpaquePointer? {
      trace.flatMap { bt_trace_borrow_environment_entry_value_by_name_const($0, name) }
    }
    func string(_ name: String) -> String? {
      value(name).flatMap {
        bt_value_is_string($0) == 0 ? nil : String(cString: bt_value_string_get($0))
      }
    }
    let processID = value("vpid").flatMap {
      bt_value_is_signed_integer($0) == 0 ? nil : bt_value_integer_signed_get($0)
    }
    self.init(
      host: string("hostname") ?? "", processID: processID ?? 0, processName: string("procname"))
  }
}
