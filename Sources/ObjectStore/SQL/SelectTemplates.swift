// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The SELECTs of a store's requests that differ in values only, written once.
///
///     longitude >= 13.1 AND name == "a"     WHERE ( t0.ZLONGITUDE >= ? AND  t0.ZNAME = ?)
///     longitude >= 13.9 AND name == "b"     the same text, with 13.9 and "b"
///
/// A request becomes a template when it comes the second time: it is written again with sentinel
/// values that no request contains. If each `?` then binds a sentinel, or a value derived from one,
/// the text depends on no value. Other requests are written each time.
final class SelectTemplates: Sendable {
  // 8 is arbitrary: no screen of the examples has more requests of an entity than three.
  private static let capacity = 8

  private struct Entry {
    let request: SelectRequest
    /// The template; nil until the request comes the second time.
    var template: Template?
  }

  private struct Entries {
    var list: [Entry] = []
    /// The one that is replaced next.
    var oldest = 0

    mutating func add(_ request: SelectRequest) {
      if list.count < SelectTemplates.capacity {
        list.append(Entry(request: request))
      } else {
        list[oldest] = Entry(request: request)
        oldest = (oldest + 1) % list.count
      }
    }
  }

  /// By entity: entities of one table select different rows.
  private let entries: Mutex<[Entries]>

  init(entityCount: Int) {
    entries = Mutex(Array(repeating: Entries(), count: entityCount))
  }

  /// The SELECT of a request: that of its template, or one that is written now.
  func statement(
    _ request: SelectRequest, of entity: EntityDescription
  ) throws(FetchPredicateError) -> SelectStatement {
    var values: [StoreValue] = []
    let found = entries.withLock { entries -> (index: Int, statement: SelectStatement?)? in
      let count = entries[entity.ordinal].list.count
      for index in 0..<count {
        values.removeAll(keepingCapacity: true)
        guard entries[entity.ordinal].list[index].request.hasForm(of: request, &values) else {
          continue
        }
        return (index, entries[entity.ordinal].list[index].template?.statement(values))
      }
      return nil
    }
    if let statement = found?.statement { return statement }
    let statement = try request.statement(of: entity)
    if let found {
      let template = Template(of: request, entity)
      entries.withLock { entries in
        // Another thread may have replaced the entry.
        var others: [StoreValue] = []
        guard entries[entity.ordinal].list[found.index].request.hasForm(of: request, &others) else {
          return
        }
        entries[entity.ordinal].list[found.index].template = template
      }
    } else if request.hasForm(of: request, &values) {
      entries.withLock { $0[entity.ordinal].add(request) }
    }
    return statement
  }
}

/// The text of a SELECT, and where the values for its `?` come from.
private struct Template {
  private let sql: String
  private let bindings: [Binding]
  /// Whether the values are bound as they are, in their order.
  private let bindsValues: Bool

  private enum Binding: Equatable {
    /// The value at an index among the request's.
    case value(Int)
    /// The end of the range of a prefix.
    case upperBound(of: Int)
    /// The same for all, such as the number of an entity.
    case fixed(StoreValue)
  }

  /// - Returns: nil if the text or the bound values may depend on values in another way.
  init?(of request: SelectRequest, _ entity: EntityDescription) {
    var probes = ProbeValues()
    var probed = request
    probed.predicate = request.predicate?.replacingValues(&probes)
    guard let known = try? request.statement(of: entity),
      let statement = try? probed.statement(of: entity), statement.sql == known.sql,
      statement.bindings.count == known.bindings.count
    else { return nil }
    var bindings: [Binding] = []
    for (probe, value) in zip(statement.bindings, known.bindings) {
      if let index = probes.values.firstIndex(of: probe) {
        bindings.append(.value(index))
      } else if let index = probes.values.firstIndex(where: { $0.prefixBound == probe }) {
        bindings.append(.upperBound(of: index))
      } else if probe == value {
        bindings.append(.fixed(value))
      } else {
        return nil
      }
    }
    sql = statement.sql
    self.bindings = bindings
    bindsValues = bindings == probes.values.indices.map { .value($0) }
  }

  func statement(_ values: [StoreValue]) -> SelectStatement? {
    if bindsValues { return SelectStatement(sql: sql, bindings: values) }
    var bound: [StoreValue] = []
    bound.reserveCapacity(bindings.count)
    for binding in bindings {
      switch binding {
      case .value(let index): bound.append(values[index])
      case .upperBound(let index):
        guard let end = values[index].prefixBound else { return nil }
        bound.append(end)
      case .fixed(let value): bound.append(value)
      }
    }
    return SelectStatement(sql: sql, bindings: bound)
  }
}

extension StoreValue {
  fileprivate var prefixBound: StoreValue? {
    guard case .string(let prefix) = self else { return nil }
    return PrefixRange.upperBound(of: prefix).map { .string($0) }
  }
}
