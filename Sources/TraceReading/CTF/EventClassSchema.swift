// SPDX-License-Identifier: Apache-2.0

import CBabeltrace
import StoreEvents

/// What is known of one event class, found out once.
final class EventClassSchema: Sendable {
  /// The class's name without the provider, such as `fetch_end`.
  let name: String
  /// `nil` if the class is not of this vocabulary.
  let kind: StoreEvent.Kind?
  /// The members of the payload.
  let members: [StructureMember]
  let types: [StructureMember.FieldType]
  let contexts: ContextFields
  let hasClock: Bool
  let environment: TraceEnvironment

  /// - Parameter event: one of the class.
  init(_ eventClass: OpaquePointer, of event: OpaquePointer) {
    let fullName = bt_event_class_get_name(eventClass).map { String(cString: $0) } ?? ""
    let prefix = StoreEvent.providers.lazy.map { $0 + ":" }.first(where: fullName.hasPrefix)
    name = String(fullName.dropFirst(prefix?.count ?? 0))
    kind = prefix == nil ? nil : StoreEvent.Kind(rawValue: name)
    members = StructureMember.all(of: bt_event_class_borrow_payload_field_class_const(eventClass))
    types = members.map(\.type)
    let streamClass = bt_event_class_borrow_stream_class_const(eventClass)
    hasClock = bt_stream_class_borrow_default_clock_class_const(streamClass) != nil
    contexts = ContextFields(
      common: StructureMember.all(
        of: bt_stream_class_borrow_event_common_context_field_class_const(streamClass)),
      specific: StructureMember.all(
        of: bt_event_class_borrow_specific_context_field_class_const(eventClass)))
    let stream = bt_event_borrow_stream_const(event)
    environment = TraceEnvironment(bt_stream_borrow_trace_const(stream))
  }

  /// Whether the members stand in the order and in the types in which a payload requested them.
  func isInOrder(_ requested: [StructureMember]) -> Bool {
    members.starts(with: [StructureMember(name: "context_id", type: .unsigned)] + requested)
  }
}

/// A named member of a structure field class.
struct StructureMember: Hashable {
  enum FieldType { case signed, unsigned, string, other }

  let name: String
  let type: FieldType

  static func all(of structure: OpaquePointer?) -> [StructureMember] {
    guard let structure else { return [] }
    return (0..<bt_field_class_structure_get_member_count(structure)).map { index in
      let member = bt_field_class_structure_borrow_member_by_index_const(structure, index)
      let fieldClass = bt_field_class_structure_member_borrow_field_class_const(member)
      return StructureMember(
        name: String(cString: bt_field_class_structure_member_get_name(member)),
        type: FieldType(bt_field_class_get_type(fieldClass)))
    }
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

/// The environment of a trace; with LTTng's buffers per process, also the process.
struct TraceEnvironment {
  let host: String
  let processID: Int64
  let processName: String?

  init(_ trace: OpaquePointer?) {
    func value(_ name: String) -> OpaquePointer? {
      trace.flatMap { bt_trace_borrow_environment_entry_value_by_name_const($0, name) }
    }
    func string(_ name: String) -> String? {
      value(name).flatMap {
        bt_value_is_string($0) == 0 ? nil : String(cString: bt_value_string_get($0))
      }
    }
    host = string("hostname") ?? ""
    processName = string("procname")
    processID =
      value("vpid").flatMap {
        bt_value_is_signed_integer($0) == 0 ? nil : bt_value_integer_signed_get($0)
      } ?? 0
  }
}
