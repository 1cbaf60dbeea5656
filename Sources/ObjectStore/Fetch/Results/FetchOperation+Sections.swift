// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

extension FetchOperation {
  /// Selects the keys of a fetched results controller's objects, and their sections.
  ///
  ///     SELECT 0, t0.Z_PK, t0.ZINITIAL FROM ZRECORD t0 ORDER BY t0.ZINITIAL
  ///
  /// - Parameter sectionKeyPath: nil if there are no sections, or if they are known.
  mutating func fetchSnapshot(
    for request: BatchRequest, sectionKeyPath: [String]?
  ) throws -> (BatchLoader, FetchedResultsSnapshot) {
    batchSize = request.batchSize
    var snapshot = FetchedResultsSnapshot()
    var keys = KeyList()
    let section = try sectionKeyPath.map { try entity.section($0) }
    select = try .objectIDs(
      of: entity, where: predicate, includingSubentities: includesSubentities, sortedBy: terms,
      limit: limit, offset: offset, with: sectionKeyPath.map { [$0] } ?? [])
    var id = ManagedObjectID(reference: entity.reference, primaryKey: 0)
    try store.query(
      select, interests: interests, contextID: context.contextID, cost: &cost
    ) { row in
      keys.append(row.int64(1))
      let reference =
        entity.hierarchy == nil
        ? entity.reference : entity.entity(numbered: row.int64(0)).reference
      id = ManagedObjectID(reference: reference, primaryKey: row.int64(1))
      snapshot.append(id, section: section.map { row.sectionName(2, $0) } ?? "")
    }
    resultCount = keys.count
    return (
      BatchLoader(request, context: context, keys: keys, fetchID: fetchID), snapshot
    )
  }

  /// Selects the values that the objects are sorted by as well, as a list needs that changes are put
  /// in.
  ///
  ///     SELECT 0, t0.Z_PK, t0.ZINITIAL, t0.ZVALUE FROM ZRECORD t0 ORDER BY t0.ZINITIAL, t0.ZVALUE
  mutating func fetchList(
    batchSize: Int, sectionKeyPath: [String]?, isWindowed: Bool
  ) throws -> FetchedResultsList {
    self.batchSize = batchSize
    let columns = try sortColumns(sectionKeyPath)
    let section = try sectionKeyPath.map { try entity.section($0) }
    select = try .objectIDs(
      of: entity, where: predicate, includingSubentities: includesSubentities, sortedBy: terms,
      limit: isWindowed ? limit : 0, offset: isWindowed ? offset : 0, with: columns.keyPaths)
    var list = FetchedResultsList(ObjectOrder(terms, locale: store.locale))
    try store.query(
      select, interests: interests, contextID: context.contextID, cost: &cost
    ) { row in
      let entity =
        self.entity.hierarchy == nil ? self.entity : self.entity.entity(numbered: row.int64(0))
      list.append(
        .init(
          id: ManagedObjectID(reference: entity.reference, primaryKey: row.int64(1)),
          section: section.map { row.sectionName(2, $0) } ?? "",
          values: columns.terms.map { row.value($0.column, as: $0.type) }))
    }
    resultCount = list.entries.count
    return list
  }

  /// The key paths to be selected, each once, the sections' first; and where the value of each sort
  /// descriptor is among the columns.
  private func sortColumns(
    _ sectionKeyPath: [String]?
  ) throws -> (keyPaths: [[String]], terms: [(column: Int32, type: ResultType)]) {
    var keyPaths = sectionKeyPath.map { [$0] } ?? []
    let columns = try terms.map { term in
      let (path, property) = try PredicateResolver(entity).resolve(
        FetchPredicate.PropertyPath(term.keyPath))
      let index = keyPaths.firstIndex(of: term.keyPath) ?? keyPaths.count
      if index == keyPaths.count { keyPaths.append(term.keyPath) }
      return (column: Int32(2 + index), type: ResultType(.property(path, property), nil))
    }
    return (keyPaths, columns)
  }
}

extension Statement {
  fileprivate func sectionName(_ column: Int32, _ type: AttributeType) -> String {
    guard !isNull(column) else { return "" }
    switch type.slotKind {
    case .text, .integer: return string(column)
    case .real: return "\(double(column))"
    case .blob, .external: return blob(column).map { String($0, radix: 16) }.joined()
    }
  }
}

extension EntityDescription {
  /// The type of the attribute at the end of a section key path.
  func section(_ keyPath: [String]) throws -> AttributeType {
    let resolver = PredicateResolver(self)
    let (_, property) = try resolver.resolve(FetchPredicate.PropertyPath(keyPath))
    guard case .attribute(let attribute) = property else {
      throw FetchPredicateError.unsupported(
        "sections by '\(keyPath.joined(separator: "."))'", instead: "name an attribute")
    }
    try property.refuseExternalData("sections by", keyPath)
    return attribute.type
  }
}

extension AnyManagedObject {
  /// The name of the section that the object belongs to, with its unsaved changes.
  func sectionName(_ keyPath: [String]) -> String {
    switch value(at: keyPath[...]) {
    case .null, .object, .external: ""
    case .bool(let bool): bool ? "1" : "0"
    case .integer(let integer): "\(integer)"
    case .double(let double): "\(double)"
    case .decimal(let decimal): "\(decimal)"
    case .string(let string): string
    case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
    case .data(let data): data.map { String($0, radix: 16) }.joined()
    case .uuid(let uuid):
      withUnsafeBytes(of: uuid.uuid) { $0.map { String($0, radix: 16) }.joined() }
    case .url(let url): url.absoluteString
    }
  }
}
