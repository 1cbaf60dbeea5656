// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Finds a predicate's names in an entity, and converts its constants to the right type.
struct PredicateResolver {
  /// 200 is arbitrary: far deeper than any predicate written by hand, far below a stack overflow
  /// and SQLite's limit of 1000.
  static let depthLimit = 200

  private let entity: EntityDescription
  private var variables: [(name: String, slot: Int, entity: EntityDescription)] = []
  private var slotCount = 1
  /// Computed columns of the result, which HAVING may name.
  private var results: [String: ResolvedOperand] = [:]
  private var depth = 0
  var expressionDepth = 0
  /// One moment for the whole predicate.
  lazy var now = Date()

  init(_ entity: EntityDescription) { self.entity = entity }

  mutating func resolve(
    _ predicate: FetchPredicate
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw .tooDeep(limit: Self.depthLimit) }
    guard depth == 1 else { return try resolveTerm(predicate) }
    try predicate.checkDepth()
    let resolved = try resolveTerm(predicate)
    let count = resolved.termCount
    guard count <= Self.termLimit else {
      throw .tooLarge("\(count) terms, the limit is \(Self.termLimit)")
    }
    return resolved
  }

  private mutating func resolveTerm(
    _ predicate: FetchPredicate
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    switch predicate {
    case .always(let value): return .always(value)
    case .and(let terms): return .and(Self.merged(try resolve(terms), isOr: false))
    case .or(let terms): return .or(Self.merged(try resolve(terms), isOr: true))
    case .not(let term): return .not(try resolve(term))
    case .comparison(let comparison): return try resolve(comparison)
    }
  }

  private mutating func resolve(
    _ terms: [FetchPredicate]
  ) throws(FetchPredicateError) -> [ResolvedPredicate] {
    var resolved: [ResolvedPredicate] = []
    resolved.reserveCapacity(terms.count)
    for term in terms { resolved.append(try resolve(term)) }
    return resolved
  }

  // MARK: - Paths

  /// Follows to-one relationships to the end of a path.
  func resolve(
    _ path: FetchPredicate.PropertyPath
  ) throws(FetchPredicateError) -> (ResolvedPath, ResolvedOperand.Property) {
    var (resolved, entity) = try start(of: path)
    guard let last = path.names.last else { return (resolved, .object(entity)) }
    for name in path.names.dropLast() {
      let relationship = try self.relationship(name, of: entity, in: path)
      guard !relationship.isToMany else { throw .toMany(name, path: path.predicateFormat) }
      resolved.steps.append(relationship)
      entity = relationship.destination
    }
    if let attribute = entity.attribute(named: last) { return (resolved, .attribute(attribute)) }
    let relationship = try self.relationship(last, of: entity, in: path)
    guard !relationship.isToMany else { throw .toMany(last, path: path.predicateFormat) }
    return (resolved, .toOne(relationship))
  }

  /// Follows a path to its first to-many relationship, and returns the rest of the path.
  func resolveCollection(
    _ path: FetchPredicate.PropertyPath
  ) throws(FetchPredicateError) -> (ResolvedCollection, rest: ArraySlice<String>)? {
    var (resolved, entity) = try start(of: path)
    for (index, name) in path.names.enumerated() {
      guard let relationship = entity.relationship(named: name) else { return nil }
      if relationship.isToMany {
        let collection = ResolvedCollection(path: resolved, relationship: relationship)
        return (collection, path.names[(index + 1)...])
      }
      resolved.steps.append(relationship)
      entity = relationship.destination
    }
    return nil
  }

  private func start(
    of path: FetchPredicate.PropertyPath
  ) throws(FetchPredicateError) -> (ResolvedPath, EntityDescription) {
    guard let name = path.variable else { return (ResolvedPath(slot: 0, steps: []), entity) }
    guard let variable = variables.last(where: { $0.name == name }) else {
      throw .unknownVariable(name)
    }
    return (ResolvedPath(slot: variable.slot, steps: []), variable.entity)
  }

  private func relationship(
    _ name: String, of entity: EntityDescription, in path: FetchPredicate.PropertyPath
  ) throws(FetchPredicateError) -> RelationshipDescription {
    if let relationship = entity.relationship(named: name) { return relationship }
    if entity.attribute(named: name) != nil {
      throw .pathThroughAttribute(name, path: path.predicateFormat)
    }
    throw .unknownProperty(
      name, entity: entity.name, nearest: entity.nearestPropertyName(to: name))
  }

  // MARK: - Collections

  /// Binds a variable to the objects of a collection, until ``close()``.
  mutating func open(_ collection: ResolvedCollection, as variable: String) -> Int {
    variables.append((variable, slotCount, collection.relationship.destination))
    slotCount += 1
    return slotCount - 1
  }

  mutating func close() { variables.removeLast() }

  /// Resolves a predicate over the objects of a collection, which a variable represents.
  mutating func resolve(
    _ predicate: FetchPredicate, over collection: ResolvedCollection, variable: String
  ) throws(FetchPredicateError) -> (slot: Int, ResolvedPredicate) {
    let slot = open(collection, as: variable)
    defer { close() }
    return (slot, try resolve(predicate))
  }

  /// The variable of ANY, ALL and NONE; no format can name it.
  var memberVariable: String { "each \(slotCount)" }

  // MARK: - Results

  /// Makes the objects of a joined table known by a variable.
  mutating func define(_ variable: String, as entity: EntityDescription) -> Int {
    defer { slotCount += 1 }
    variables.append((variable, slotCount, entity))
    return slotCount
  }

  /// Makes a computed column known by its name, as `$name` and, where no property has it, `name`.
  mutating func define(_ name: String, asResult column: String, _ kind: ValueKind?) {
    results[name] = .result(column, kind)
  }

  func result(_ path: FetchPredicate.PropertyPath) -> ResolvedOperand? {
    guard !results.isEmpty else { return nil }
    if let variable = path.variable { return path.names.isEmpty ? results[variable] : nil }
    let isProperty = path.names.first.map {
      entity.attribute(named: $0) != nil || entity.relationship(named: $0) != nil
    }
    return isProperty == true ? nil : results[path.names.joined(separator: ".")]
  }
}
