// SPDX-License-Identifier: Apache-2.0

/// The derived attributes of an entity, by their sources.
struct DerivedAttributes: Sendable {
  /// The attributes that are derived from a slot; empty for an entity without derived attributes.
  private let bySource: [[Step]]
  /// The attributes that contain the time of the last save.
  let dates: [Int]

  /// One attribute that follows from another.
  struct Step: Sendable {
    let slot: Int
    let transform: @Sendable (StoreValue) -> StoreValue
  }

  static let none = DerivedAttributes(bySource: [], dates: [])

  private init(bySource: [[Step]], dates: [Int]) {
    self.bySource = bySource
    self.dates = dates
  }

  /// - Throws: ``ModelError/invalidDerivation(_:entity:)`` if a source is missing or derived itself.
  init(of entity: EntityDescription) throws {
    let derived = entity.attributesByName.values.filter { $0.derivation != nil }
    guard !derived.isEmpty else {
      self = .none
      return
    }
    var bySource: [[Step]] = entity.attributes.map { _ in [] }
    for attribute in derived {
      if case .related(let related)? = attribute.derivation?.kind,
        related.source(in: entity) == nil
      {
        throw ModelError.invalidDerivation(attribute.name, entity: entity.name)
      }
      guard case .value(let name, let transform)? = attribute.derivation?.kind else { continue }
      guard let source = entity.attribute(named: name), source.derivation == nil
      else { throw ModelError.invalidDerivation(attribute.name, entity: entity.name) }
      bySource[source.slot].append(Step(slot: attribute.slot, transform: transform))
    }
    self.init(
      bySource: bySource,
      dates: derived.compactMap { attribute in
        guard case .now? = attribute.derivation?.kind else { return nil }
        return attribute.slot
      })
  }

  var isEmpty: Bool { bySource.isEmpty }

  /// The attributes that are derived from an attribute; none for a to-one relationship.
  func steps(from slot: Int) -> [Step] { slot < bySource.count ? bySource[slot] : [] }

  /// The values of a new object, including values derived from its defaults.
  func applied(to defaults: [StoreValue?]) -> [StoreValue?] {
    var values = defaults
    for (source, steps) in bySource.enumerated() {
      guard let value = defaults[source], value != .null else { continue }
      for step in steps { values[step.slot] = step.transform(value) }
    }
    return values
  }
}
