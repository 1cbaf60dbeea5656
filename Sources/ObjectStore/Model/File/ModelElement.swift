// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One element of a model file, as it begins.
struct ModelElement {
  let name: String
  let values: [String: String]
  let parser: ModelFileParser

  subscript(key: String) -> String? { values[key] }

  func flag(_ key: String) -> Bool { values[key] == "YES" }

  /// - Throws: ``ModelFileError/invalid(path:line:reason:)`` if it is missing.
  func required(_ key: String) throws -> String {
    guard let value = values[key], !value.isEmpty else {
      throw parser.error("<\(name)> has no \(key)")
    }
    return value
  }

  func givenName() throws -> String { try required("name") }

  // MARK: - Entities and relationships

  func entity() throws -> EntityDefinition {
    EntityDefinition(
      name: try givenName(), superentity: self["parentEntity"], isAbstract: flag("isAbstract"),
      renamingIdentifier: self["elementID"], versionHashModifier: self["versionHashModifier"])
  }

  func relationship() throws -> RelationshipDefinition {
    RelationshipDefinition(
      name: try givenName(), destination: try required("destinationEntity"),
      inverse: self["inverseName"], isToMany: flag("toMany"), isOrdered: flag("ordered"),
      isOptional: flag("optional"), deleteRule: try deleteRule(),
      renamingIdentifier: self["elementID"], versionHashModifier: self["versionHashModifier"],
      counts: try counts())
  }

  /// The maximum number of objects of a to-many; 0 is no limit.
  private func counts() throws -> ClosedRange<Int>? {
    func number(_ key: String) throws -> Int {
      guard let text = self[key] else { return 0 }
      guard let number = Int(text), number >= 0 else {
        throw parser.error(
          "the \(key) '\(text)' of relationship \(try givenName()) is not a number")
      }
      return number
    }
    let (least, most) = try (number("minCount"), number("maxCount"))
    guard flag("toMany"), least > 0 || most > 0 else { return nil }
    guard most == 0 || least <= most else {
      throw parser.error("relationship \(try givenName()) has a minCount above its maxCount")
    }
    return least...(most == 0 ? .max : most)
  }

  private func deleteRule() throws -> DeleteRule {
    switch self["deletionRule"] {
    case "Nullify", nil: .nullify
    case "Cascade": .cascade
    case "Deny": .deny
    case "No Action": .noAction
    case let rule?: throw parser.error("unknown deletionRule '\(rule)'")
    }
  }

  // MARK: - Attributes

  /// Nil for one that a store does not keep.
  func attribute(
    remarks: inout [String], in entity: String
  ) throws -> AttributeDescription? {
    let name = try givenName()
    if flag("transient") {
      remarks.append("\(entity).\(name) is transient and not kept")
      return nil
    }
    let type = try type()
    let allowsExternalData = flag("allowsExternalBinaryDataStorage")
    if allowsExternalData, type != .data {
      remarks.append("\(entity).\(name) is not of type Binary Data and stays in its row")
    }
    if self["attributeType"] == "Transformable" {
      remarks.append("\(entity).\(name) is transformable: its value is the bytes, as data")
    }
    return AttributeDescription(
      name: name, type: type, isOptional: flag("optional"), defaultValue: try defaultValue(type),
      derivation: flag("derived") ? try derivation() : nil, renamingIdentifier: self["elementID"],
      allowsExternalBinaryDataStorage: allowsExternalData && type == .data,
      checks: try checks(type), versionHashModifier: self["versionHashModifier"])
  }

  private func type() throws -> AttributeType {
    let type = try required("attributeType")
    switch type {
    case "Integer 16": return .int16
    case "Integer 32": return .int32
    case "Integer 64": return .int64
    case "Boolean": return .bool
    case "Double": return .double
    case "Float": return .float
    case "Decimal": return .decimal
    case "String": return .string
    case "Date": return .date
    case "Binary", "Transformable": return .data
    case "UUID": return .uuid
    case "URI": return .url
    case "Composite":
      throw parser.error(
        "attribute \(try givenName()) is composite, which is not supported: how Core Data names the "
          + "columns of its elements is not public; declare the elements as attributes of the entity"
      )
    default:
      throw parser.error(
        "attribute \(try givenName()) is of type \(type), which is not supported; use one of Integer 16, "
          + "32 or 64, Boolean, Double, Float, Decimal, String, Date, Binary, UUID or URI")
    }
  }

  private func defaultValue(_ type: AttributeType) throws -> StoreValue {
    if type == .date, let seconds = self["defaultDateTimeInterval"] {
      guard let seconds = Double(seconds) else { throw badDefault(seconds) }
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    }
    guard var text = self["defaultValueString"] ?? self["defaultURIString"] else { return .null }
    // Xcode leaves the text of an earlier type, and its compiler takes it.
    guard !text.isEmpty || type == .string else { return .null }
    if ValueKind(type) == .number { text = ["YES": "1", "NO": "0"][text] ?? text }
    let value: StoreValue? =
      switch type {
      case .int16: Self.integer(text, Int16.self)
      case .int32: Self.integer(text, Int32.self)
      case .int64: Self.integer(text, Int64.self)
      case .bool: Double(text).flatMap { [0: .bool(false), 1: .bool(true)][$0] }
      case .double: Double(text).map { .double($0) }
      case .float: Float(text).map { .double(Double($0)) }
      case .decimal: Decimal(string: text).map { .decimal($0) }
      case .string: .string(text)
      case .uuid: UUID(uuidString: text).map { .uuid($0) }
      case .url: URL(string: text).map { .url($0) }
      case .date, .data: nil
      }
    guard let value else { throw badDefault(text) }
    return value
  }

  /// Also of `0.0`; nil for a number with a fraction.
  private static func integer<I: FixedWidthInteger>(_ text: String, _ type: I.Type) -> StoreValue? {
    let integer = I(text) ?? Double(text).flatMap { I(exactly: $0) }
    return integer.map { .integer(Int64($0)) }
  }

  private func badDefault(_ text: String) -> ModelFileError {
    parser.error("the default '\(text)' of attribute \(self["name"] ?? "?") is not of its type")
  }

  /// `canonical:(name)`, `uppercase:(name)`, `lowercase:(name)`, `name` or `now()`.
  private func derivation() throws -> Derivation {
    let expression = try required("derivationExpression")
    if expression == "now()" { return .now }
    if let derivation = Derivation(expression) ?? Derivation(related: expression) {
      return derivation
    }
    throw parser.error(
      "attribute \(try givenName()) is derived by '\(expression)', which is not supported; use "
        + "canonical:(…), uppercase:(…), lowercase:(…), an attribute, now(), a to-many's @count or "
        + "attribute.@sum, or a to-one's attribute")
  }
}

extension Derivation {
  /// Nil for an expression that is not over a single attribute of the same entity.
  init?(_ expression: String) {
    let parts = expression.split(separator: ":", maxSplits: 1)
    guard let last = parts.last else { return nil }
    let source = last.trimmingCharacters(in: CharacterSet(charactersIn: "() "))
    guard !source.isEmpty, source.utf8.allSatisfy({ $0 != UInt8(ascii: ".") && $0 != 0x40 }) else {
      return nil
    }
    let transform: @Sendable (String) -> String
    switch parts.count == 2 ? String(parts[0]) : "" {
    case "canonical": transform = { $0.searchNormalized }
    case "lowercase": transform = { $0.lowercased() }
    case "uppercase": transform = { $0.uppercased() }
    case "":
      self.init(expression: expression, kind: .value(of: source) { $0 })
      return
    default: return nil
    }
    self.init(
      expression: expression,
      kind: .value(of: source) { value in
        guard case .string(let text) = value else { return .null }
        return .string(transform(text))
      })
  }
}
