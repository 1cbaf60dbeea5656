// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A value that every object of an entity has.
///
///     let name = Attribute<String>("name")            // VARCHAR; a save without it is refused
///     let note = Attribute<String?>("note")           // may be nil
///     let rank = Attribute<Int32>("rank", default: 1)
public struct Attribute<Value: AttributeValue> {
  /// The name in the model.
  public let name: String
  /// The name, after the names of the to-one relationships on its path: `stop.name`.
  public private(set) var keyPath: String
  let defaultValue: Value?
  let derivation: UnresolvedDerivation?
  let renamingIdentifier: String?
  let allowsExternalBinaryDataStorage: Bool
  /// Make the checks of its rules, once per model.
  private(set) var makeChecks: [@Sendable () -> ValidationCheck] = []
  @usableFromInline let binding: SlotBinding

  /// Declares an attribute.
  ///
  /// - Parameters:
  ///   - name: the name in the model; the column's is the same in upper case, behind a Z.
  ///   - defaultValue: the value of a new object; without one it is nil, and an attribute that is
  ///     not optional must be set before a save.
  ///   - renamingIdentifier: its name in an earlier model.
  public init(
    _ name: String, default defaultValue: Value? = nil, renamingIdentifier: String? = nil
  ) {
    self.init(name, defaultValue, renamingIdentifier: renamingIdentifier)
  }

  fileprivate init(
    _ name: String, _ defaultValue: Value?, derivation: UnresolvedDerivation? = nil,
    renamingIdentifier: String? = nil, isExternal: Bool = false
  ) {
    self.name = name
    keyPath = name
    self.defaultValue = defaultValue
    self.derivation = derivation
    self.renamingIdentifier = renamingIdentifier
    allowsExternalBinaryDataStorage = isExternal
    binding = SlotBinding()
  }

  init(_ name: String, _ derivation: UnresolvedDerivation) {
    self.init(name, nil, derivation: derivation)
  }

  init(_ attribute: Attribute, through prefix: String) {
    self = attribute
    keyPath = prefix + "." + attribute.keyPath
  }

  init(_ attribute: Attribute, adding makeChecks: [@Sendable () -> ValidationCheck]) {
    self = attribute
    self.makeChecks += makeChecks
  }

  /// Its slot in a row snapshot; only in a schema that belongs to a model.
  @inlinable var slot: Int { binding.slot }
}

extension Attribute where Value == Data {
  /// Declares data that may be stored in a file beside the store if it is large.
  ///
  ///     let blob = Attribute<Data>("blob", allowsExternalBinaryDataStorage: true)
  ///     // ZBLOB BLOB; beyond StoreOptions.externalDataThreshold, .NAME_SUPPORT/_EXTERNAL_DATA/UUID
  ///
  /// The file is read when the value is read, not when the object is fetched. Predicates can only
  /// test whether there is a value.
  public init(
    _ name: String, default defaultValue: Data? = nil, renamingIdentifier: String? = nil,
    allowsExternalBinaryDataStorage: Bool
  ) {
    self.init(
      name, defaultValue, renamingIdentifier: renamingIdentifier,
      isExternal: allowsExternalBinaryDataStorage)
  }
}

extension Attribute where Value == Data? {
  /// Declares optional data that may be stored in a file beside the store if it is large.
  public init(
    _ name: String, default defaultValue: Data? = nil, renamingIdentifier: String? = nil,
    allowsExternalBinaryDataStorage: Bool
  ) {
    self.init(
      name, defaultValue, renamingIdentifier: renamingIdentifier,
      isExternal: allowsExternalBinaryDataStorage)
  }
}

/// The slot of a property of a model's schema: set once, when the model is built.
@usableFromInline
final class SlotBinding: @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var slot = -1

  @usableFromInline init() {}
}

/// A property of an entity, for building a model from a schema.
protocol EntityProperty {
  var name: String { get }
  var binding: SlotBinding { get }
}

/// An attribute of any type.
protocol AnyAttribute: EntityProperty {
  /// - Throws: ``ModelError/invalidDerivation(_:entity:)``.
  func makeDescription(in schema: any Entity) throws -> AttributeDescription
}

extension Attribute: AnyAttribute {
  func makeDescription(in schema: any Entity) throws -> AttributeDescription {
    let derivation = try derivation.map { unresolved in
      guard let derivation = unresolved.resolve(schema) else {
        throw ModelError.invalidDerivation(name, entity: type(of: schema).entityName)
      }
      return derivation
    }
    return AttributeDescription(
      name: name, type: Value.attributeType, isOptional: Value.isOptional,
      defaultValue: defaultValue?.storeValue ?? .null, derivation: derivation,
      renamingIdentifier: renamingIdentifier,
      allowsExternalBinaryDataStorage: allowsExternalBinaryDataStorage,
      checks: makeChecks.map { $0() }, codable: CodableType(Value.self))
  }
}
