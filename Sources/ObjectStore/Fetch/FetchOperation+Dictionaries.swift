// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension FetchOperation {
  /// Selects values, which come from the database alone: unsaved changes are not in them.
  ///
  ///     SELECT t0.ZNAME, COUNT( t0.Z_PK) FROM ZSTOP t0 GROUP BY  t0.ZNAME
  mutating func fetchDictionaries() throws -> (names: [String], rows: [[StoreValue]]) {
    var query = projection
    if query.columns.isEmpty { query.columns = entity.valueColumns }
    var writer = DictionarySelectWriter(of: entity, query)
    let dictionaries = try writer.select(
      where: predicate, includingSubentities: includesSubentities, sortedBy: terms, limit: limit,
      offset: offset)
    select = dictionaries.statement
    var rows: [[StoreValue]] = []
    try store.query(
      select, interests: interests, contextID: context.contextID, cost: &cost
    ) { statement in
      var column: Int32 = 0
      rows.append(
        dictionaries.types.map { type in
          defer { column += type.columnCount }
          return statement.value(column, as: type)
        })
    }
    resultCount = rows.count
    for (index, type) in dictionaries.types.enumerated() {
      guard case .externalData = type else { continue }
      for row in rows.indices { try load(&rows[row][index], query.columns[index].name) }
    }
    return (query.columns.map(\.name), rows)
  }

  private func load(_ value: inout StoreValue, _ name: String) throws {
    guard case .external(let reference) = value else { return }
    do throws(ExternalDataProblem) {
      value = .data(
        try store.readExternalData(
          reference, "\(entity.name).\(name)", contextID: context.contextID))
    } catch {
      throw StoreError.externalData(nil, property: name, error)
    }
  }
}

extension EntityDescription {
  /// The contents of a dictionary by default: all attributes.
  fileprivate var valueColumns: [ResultColumn] {
    attributesByName.keys.sorted().map { ResultColumn($0) }
  }
}
