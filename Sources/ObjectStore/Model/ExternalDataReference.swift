// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The name of the file beside a store that contains one value of an attribute with external
/// storage.
public struct ExternalDataReference: Hashable, Sendable {
  /// The name of the file; nil where the row is damaged and names none.
  ///
  /// Only a UUID can name a file, so a name cannot lead out of the folder.
  public let uuid: UUID?
}

/// The contents of a column of an attribute with external storage: a mark, followed by the data or
/// the reference.
///
///     01 FF D8 FF E0 …       the bytes themselves
///     02 36 31 39 46 … 00    the UUID of a file, in 36 characters and a NUL
enum ExternalDataColumn {
  case inline(UnsafeRawBufferPointer)
  case reference(ExternalDataReference)

  private static let inlineMark: UInt8 = 1
  private static let referenceMark: UInt8 = 2

  init(_ bytes: UnsafeRawBufferPointer) {
    switch bytes.first {
    case Self.inlineMark: self = .inline(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
    case Self.referenceMark: self = .reference(ExternalDataReference(text: bytes.dropFirst()))
    // Without a mark: written by a program with a model that does not allow external storage here.
    default: self = .inline(bytes)
    }
  }

  /// The value that a column holds.
  var storeValue: StoreValue {
    switch self {
    case .inline(let bytes): .data(Data(bytes))
    case .reference(let reference): .external(reference)
    }
  }

  static func bytes(inline data: Data) -> Data {
    var bytes = Data(capacity: data.count + 1)
    bytes.append(inlineMark)
    bytes.append(data)
    return bytes
  }

  static func bytes(_ reference: ExternalDataReference) -> Data {
    Data([referenceMark] + (reference.uuid?.uuidString ?? "").utf8 + [0])
  }

  /// The condition that a column holds a reference; by its length first, which SQLite has
  /// without reading the column.
  static func isReference(_ column: String) -> String {
    "length(\(column)) IN (37, 38) AND CAST(substr(\(column), 1, 1) AS BLOB) = X'02'"
  }
}

extension ExternalDataReference {
  fileprivate init(text: Slice<UnsafeRawBufferPointer>) {
    let text = text.last == 0 ? text.dropLast() : text
    uuid = text.count == 36 ? UUID(uuidString: String(decoding: text, as: UTF8.self)) : nil
  }

  /// Made of the sixteen bytes of a row snapshot; of any other bytes, a damaged one.
  init(snapshot bytes: UnsafeRawBufferPointer) {
    uuid = bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
  }
}

extension AttributeDescription {
  /// The column value for data that stays in its row.
  func inlineColumnValue(_ value: StoreValue) -> StoreValue {
    guard allowsExternalBinaryDataStorage, case .data(let data) = value else { return value }
    return .data(ExternalDataColumn.bytes(inline: data))
  }
}
