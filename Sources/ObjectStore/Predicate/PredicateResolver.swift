// SPDX-License-Identifier: Apache-2.0

/// Finds a predicate's names in an entity, and gives its constants the right type.
struct PredicateResolver {
  /// 200 is arbitrary: far above what a person writes, far below what overflows a stack or
  /// SQLite's limit of 1000.
  static let depthLimit = 200

  private let entity: EntityDescription
  private var variables: [(name: String, slot: Int, entity: EntityDescription)] = []
  private var slotCount = 1
  private var depth = 0

  init(_ entity: EntityDescription) { self.entity = entity }

  mutating func resolve(
    _ predicate: FetchPredicate
  ) throws(FetchPredicateError) -> ResolvedPredicate {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw .tooDeep(limit: Self.depthLimit) }
    switch predicate {
    case .always(let value): return .always(value)
    case .and(let terms): return .and(try resolve(terms))
    case .or(let terms): return .or(try resolve(terms))
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

  /// Follows a path to its first to-many relationship, and answers what comes after that.
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

  /// Resolves a predicate over the objects of a collection, which it knows by a variable.
  mutating func resolve(
    _ predicate: FetchPredicate, over collection: ResolvedCollection, variable: String
  ) throws(FetchPredicateError) -> (slot: Int, ResolvedPredicate) {
    let slot = slotCount
    slotCount += 1
    variables.append((variable, slot, collection.relationship.destination))
    defer { variables.removeLast() }
    return (slot, try resolve(predicate))
  }

  // MARK: - Operands

  mutating func operand(
    _ expression: FetchPredicate.Expression
  ) throws(FetchPredicateError) -> ResolvedOperand {
    switch expression {
    case .constant(let value): return .constant(value)
    case .path(let path):
      let (resolved, property) = try resolve(path)
      return .property(resolved, property)
    case .collection(.count, of: .path(let path), property: let property) where property.isEmpty:
      return .count(try self.collection(path), slot: -1, where: nil)
    case .collection(.count, of: .subquery(let subquery), property: let property)
    where property.isEmpty:
      let collection = try self.collection(subquery.collection)
      let (slot, predicate) = try resolve(
        subquery.predicate, over: collection, variable: subquery.variable)
      return .count(collection, slot: slot, where: predicate)
    case .collection:
      throw .unsupported(expression.predicateFormat, instead: "use @count, or SUBQUERY(…).@count")
    case .subquery:
      throw .unsupported(
        "SUBQUERY as a value", instead: "write SUBQUERY(…).@count and compare that")
    case .list:
      throw .unsupported("a list on its own", instead: "write it on the right of IN or BETWEEN")
    case .arithmetic:
      throw .unsupported("arithmetic", instead: "compute the constant side before the fetch")
    case .function(let name, _):
      throw .unsupported(
        "the function \(name)", instead: "store its result in an attribute and compare that")
    }
  }

  private func collection(
    _ path: FetchPredicate.PropertyPath
  ) throws(FetchPredicateError) -> ResolvedCollection {
    guard let (collection, rest) = try resolveCollection(path) else {
      _ = try resolve(path)  // names what is unknown
      throw .notToMany(path.names.last ?? "SELF", path: path.predicateFormat)
    }
    guard rest.isEmpty else {
      throw .unsupported(
        path.predicateFormat,
        instead: "count the objects of \(collection.relationship.name), its to-many relationship")
    }
    return collection
  }
}
