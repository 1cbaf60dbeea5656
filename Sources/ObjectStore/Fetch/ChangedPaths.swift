// SPDX-License-Identifier: Apache-2.0

/// The saved objects that a context has changed, as ends of the ways that a predicate goes.
///
/// An object that is itself unchanged can only have come into a result, or left it, if a way from
/// it led to a changed object when it was saved: an object that was joined to another one since was
/// changed by that.
struct ChangedPaths {
  private let changed: [AnyManagedObject]

  init(_ objects: [AnyManagedObject]) { changed = objects.filter { !$0.isInserted } }

  private func ids(_ entity: EntityDescription) -> [FetchPredicate.Expression] {
    changed.filter { $0.entity.isKind(of: entity) }.map { .constant(.object($0.objectID)) }
  }

  /// The condition that some part of a way from an object ends at a changed one; nil if none can.
  func condition(_ paths: Set<[String]>, of entity: EntityDescription) -> FetchPredicate? {
    var prefixes: Set<[String]> = []
    for path in paths {
      var end = entity
      for (index, name) in path.enumerated() {
        guard let relationship = end.relationship(named: name) else { break }
        end = relationship.destination
        if changed.contains(where: { $0.entity.isKind(of: end) }) {
          prefixes.insert(Array(path[...index]))
        }
      }
    }
    guard !prefixes.isEmpty else { return nil }
    // Sorted, so that the same changes make the same SQL.
    return .or(
      prefixes.sorted { $0.lexicographicallyPrecedes($1) }
        .map { condition($0[...], of: entity, variable: nil) })
  }

  private func condition(
    _ names: ArraySlice<String>, of entity: EntityDescription, variable: String?
  ) -> FetchPredicate {
    var end = entity
    var isToMany = false
    for (index, name) in zip(names.indices, names) {
      guard let relationship = end.relationship(named: name) else { break }
      end = relationship.destination
      isToMany = relationship.isToMany
      guard isToMany, index < names.endIndex - 1 else { continue }
      // A path goes through one to-many only; the rest of it is evaluated on the to-many's objects.
      let member = "x\(index)"
      let subquery = FetchPredicate.Subquery(
        .init(Array(names[...index]), variable: variable), variable: member,
        where: condition(names[(index + 1)...], of: end, variable: member))
      return .comparison(
        .init(
          .collection(.count, of: .subquery(subquery), property: []), .greater,
          .constant(.integer(0))))
    }
    return .comparison(
      .init(
        .path(.init(Array(names), variable: variable)), .isIn,
        .list(ids(end)), quantifier: isToMany ? .any : .direct))
  }
}
