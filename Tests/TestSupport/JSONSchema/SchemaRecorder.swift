// SPDX-License-Identifier: Apache-2.0

/// Derives the schema of a `Decodable` type by decoding it once and recording its requests.
///
///     struct A: Codable { var b: Int; var c: [String]? }
///     {"type": "object", "required": ["b"], "properties": {"b": {"type": "integer"}, …}}
public final class SchemaRecorder {
  private var definitions: [String: JSONValue] = [:]
  private var open: Set<String> = []

  private init() {}

  /// The schema, with a title.
  public static func schema(of type: any Decodable.Type, title: String) throws -> JSONValue {
    let recorder = SchemaRecorder()
    var members = try recorder.schemaOfRoot(type).members
    members["$schema"] = .string("https://json-schema.org/draft/2020-12/schema")
    members["title"] = .string(title)
    if !recorder.definitions.isEmpty { members["$defs"] = .object(recorder.definitions) }
    return .object(members)
  }

  private func schemaOfRoot<T: Decodable>(_ type: T.Type) throws -> JSONValue {
    let (schema, _) = try record(type)
    guard let name = schema["$ref"]?.text?.dropFirst("#/$defs/".count) else { return schema }
    return definitions.removeValue(forKey: String(name)) ?? schema
  }

  /// The schema of a type, and some value of it.
  fileprivate func record<T: Decodable>(_ type: T.Type) throws -> (JSONValue, T) {
    if let known = type as? any Recordable.Type {
      let (schema, value) = try known.recorded(by: self)
      if let value = value as? T { return (schema, value) }
    }
    if let cases = type as? any CaseIterable.Type, let value = cases.anyCases.first as? T {
      let names = cases.anyCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
      return (["type": "string", "enum": .array(names.map(JSONValue.string))], value)
    }
    let name = String(reflecting: type).split(separator: ".").dropFirst().joined(separator: ".")
    let decoder = RecordingDecoder(recorder: self)
    open.insert(name)
    defer { open.remove(name) }
    let value = try T(from: decoder)
    if let only = decoder.value { return (only, value) }
    definitions[name] = [
      "type": "object", "properties": .object(decoder.properties),
      "required": .array(decoder.required.sorted().map(JSONValue.string)),
    ]
    return (["$ref": .string("#/$defs/\(name)")], value)
  }

  /// The schema of the elements of a list, which may be of the type that holds the list.
  fileprivate func element<T: Decodable>(_ type: T.Type) throws -> JSONValue {
    if let known = type as? any Recordable.Type { return try known.recorded(by: self).0 }
    let name = String(reflecting: type).split(separator: ".").dropFirst().joined(separator: ".")
    return open.contains(name) ? ["$ref": .string("#/$defs/\(name)")] : try record(type).0
  }
}

extension CaseIterable {
  fileprivate static var anyCases: [Any] { Array(allCases) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByIntegerLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { first, _ in first })
  }
}

// MARK: - Types of the standard library

private protocol Recordable {
  static func recorded(by recorder: SchemaRecorder) throws -> (JSONValue, Any)
}

extension String: Recordable {
  fileprivate static func recorded(by: SchemaRecorder) -> (JSONValue, Any) {
    // Digits, so that an id is one.
    (["type": "string"], "0")
  }
}

extension Bool: Recordable {
  fileprivate static func recorded(by: SchemaRecorder) -> (JSONValue, Any) {
    (["type": "boolean"], false)
  }
}

extension Double: Recordable {
  fileprivate static func recorded(by: SchemaRecorder) -> (JSONValue, Any) {
    (["type": "number"], 0.0)
  }
}

extension FixedWidthInteger where Self: Decodable {
  fileprivate static func recorded(by: SchemaRecorder) -> (JSONValue, Any) {
    let type: JSONValue = ["type": "integer"]
    let unsigned: JSONValue = ["type": "integer", "minimum": 0]
    return (isSigned ? type : unsigned, Self.zero)
  }
}

extension Int: Recordable {}
extension Int32: Recordable {}
extension Int64: Recordable {}
extension UInt: Recordable {}
extension UInt32: Recordable {}
extension UInt64: Recordable {}

extension Array: Recordable where Element: Decodable {
  fileprivate static func recorded(by recorder: SchemaRecorder) throws -> (JSONValue, Any) {
    (["type": "array", "items": try recorder.element(Element.self)], Self())
  }
}

extension Dictionary: Recordable where Key == String, Value: Decodable {
  fileprivate static func recorded(by recorder: SchemaRecorder) throws -> (JSONValue, Any) {
    (["type": "object", "additionalProperties": try recorder.element(Value.self)], Self())
  }
}

extension Optional: Recordable where Wrapped: Decodable {
  fileprivate static func recorded(by recorder: SchemaRecorder) throws -> (JSONValue, Any) {
    var members = try recorder.element(Wrapped.self).members
    members["type"] = members["type"].map { .array([$0, "null"]) }
    return (.object(members), Self.none as Any)
  }
}

// MARK: - Decoder

private final class RecordingDecoder: Decoder {
  let recorder: SchemaRecorder
  var properties: [String: JSONValue] = [:]
  var required: Set<String> = []
  /// Optional properties' keys, which were looked for before they were read.
  var looked: Set<String> = []
  /// Of a type that is one value.
  var value: JSONValue?
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(recorder: SchemaRecorder) { self.recorder = recorder }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RecordingContainer(decoder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { RecordingList(decoder: self) }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    RecordingValue(decoder: self)
  }
}

private struct RecordingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RecordingDecoder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool {
    decoder.looked.insert(key.stringValue)
    return true
  }

  func decodeNil(forKey key: Key) -> Bool {
    decoder.looked.insert(key.stringValue)
    return false
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let (schema, value) = try decoder.recorder.record(type)
    decoder.properties[key.stringValue] = schema
    if !decoder.looked.contains(key.stringValue) { decoder.required.insert(key.stringValue) }
    return value
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { throw unsupported }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw unsupported
  }

  func superDecoder() throws -> any Decoder { throw unsupported }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw unsupported }

  private var unsupported: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "a nested container by hand"))
  }
}

private struct RecordingValue: SingleValueDecodingContainer {
  let decoder: RecordingDecoder
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let (schema, value) = try decoder.recorder.record(type)
    decoder.value = schema
    return value
  }
}

/// A list of elements that a type decodes one by one, all of one type.
private struct RecordingList: UnkeyedDecodingContainer {
  let decoder: RecordingDecoder
  var codingPath: [any CodingKey] { [] }
  var count: Int? { nil }
  var isAtEnd: Bool { false }
  var currentIndex: Int { 0 }

  func decodeNil() -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let (schema, value) = try decoder.recorder.record(type)
    decoder.value = ["type": "array", "items": schema]
    return value
  }

  func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> { throw unsupported }

  func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unsupported }
  func superDecoder() throws -> any Decoder { throw unsupported }

  private var unsupported: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "a nested container by hand"))
  }
}
