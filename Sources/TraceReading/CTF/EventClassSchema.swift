// SPDX-License-Identifier: Apache-2.0

import CBabeltrace
import StoreEvents

/// What is known of one event class, found out once.
final class EventClassSchema {
  /// The class's name without the provider, such as `fetch_end`.
  let name: String
  /// `nil` if the class is not of this vocabulary.
  let kind: StoreEvent.Kind?
  /// The members of the payload.
  let members: [StructureMember]
  let contexts: ContextFields
  let hasClock: Bool
  /// Whether the members stand in the order and in the types in which the payload asks for them.
  var isInOrder = false
  let eventClass: OpaquePointer

  /// - Parameter eventClass: kept referenced, so that its address is not used for another one.
  init(_ eventClass: OpaquePointer) {
    bt_event_class_get_ref(eventClass)
    self.eventClass = eventClass
    let fullName = bt_event_class_get_name(eventClass).map { String(cString: $0) } ?? ""
    let prefix = StoreEvent.provider + ":"
    name = fullName.hasPrefix(prefix) ? String(fullName.dropFirst(prefix.count)) : fullName
    kind = fullName.hasPrefix(prefix) ? StoreEvent.Kind(rawValue: name) : nil
    members = StructureMember.all(of: bt_event_class_borrow_payload_field_class_const(eventClass))
    let streamClass = bt_event_class_borrow_stream_class_const(eventClass)
    hasClock = bt_stream_class_borrow_default_clock_class_const(streamClass) != nil
    contexts = ContextFields(
      common: StructureMember.all(
        of: bt_stream_class_borrow_event_common_context_field_class_const(streamClass)),
      specific: StructureMember.all(
        of: bt_event_class_borrow_specific_context_field_class_const(eventClass)))
  }

  deinit { bt_event_class_put_ref(eventClass) }

  /// Notes the order in which a payload asked for its members; from then on, if it is theirs,
  /// they are read by index.
  func learnOrder(_ asked: [StructureMember]) {
    isInOrder = members.starts(with: [StructureMember(name: "context_id", type: .unsigned)] + asked)
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
