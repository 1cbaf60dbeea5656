// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import StoreInstruments

extension FetchOperation {
  /// Selects the keys of a fetched results controller's objects, and their sections.
  ///
  ///     SELECT 0, t0.Z_PK, t0.ZINITIAL FROM ZRECORD t0 ORDER BY t0.ZINITIAL
  ///
  /// - Parameter sectionKeyPath: nil where there are no sections, or where they are known.
  mutating func fetchSnapshot(
    for request: BatchRequest, sectionKeyPath: [String]?
  ) throws -> (BatchLoader, FetchedResultsSnapshot) {
    batchSize = request.batchSize
    var snapshot = FetchedResultsSnapshot()
    var keys = KeyList()
    let section = try sectionKeyPath.map { try entity.section($0) }
    select = try .objectIDs(
      of: entity, where: predicate, includingSubentities: includesSubentities, sortedBy: terms,
      limit: limit, offset: offset, with: sectionKeyPath)
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
  ///
  /// - Throws: ``FetchPredicateError`` if it does not lead to one over to-one relationships.
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
    case .string(let string): string
    case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
    case .data(let data): data.map { String($0, radix: 16) }.joined()
    case .uuid(let uuid):
      withUnsafeBytes(of: uuid.uuid) { $0.map { String($0, radix: 16) }.joined() }
    case .url(let url): url.absoluteString
    }
  }
}
