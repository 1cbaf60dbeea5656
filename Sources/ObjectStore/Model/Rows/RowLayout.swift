// SPDX-License-Identifier: Apache-2.0

/// How a slot of a row snapshot is read.
enum SlotKind: UInt8, Sendable {
  case integer, real, text, blob
  /// For an attribute with external storage: bytes, or a reference to them.
  case external
}

extension AttributeType {
  var slotKind: SlotKind {
    switch self {
    case .int16, .int32, .int64, .bool: .integer
    case .double, .float, .decimal, .date: .real
    case .string, .url: .text
    case .data, .uuid: .blob
    }
  }
}

extension AttributeDescription {
  var slotKind: SlotKind { allowsExternalBinaryDataStorage ? .external : type.slotKind }
}

/// How the values of an entity's rows are laid out.
struct RowLayout: Sendable {
  let kinds: [SlotKind]
  /// The `Z_ENT` of a new row, which a row of a hierarchy stores after its slots; otherwise nil.
  var entityID: Int64?
  var slotCount: Int { kinds.count }
  var nullWordCount: Int { (kinds.count + 63) / 64 }
  /// Header, null bits, slots and the entity, in words of eight bytes.
  var fixedWordCount: Int {
    RowPointer.headerWords + nullWordCount + kinds.count + (entityID == nil ? 0 : 1)
  }
}
