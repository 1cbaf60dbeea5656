// SPDX-License-Identifier: Apache-2.0

/// The entities and properties of a data model, by the columns that they have in a file.
public struct ModelNames: Sendable {
  /// A property, or the derivation of an attribute: `creationDate`, `notes.@count`.
  public struct Property: Hashable, Sendable {
    public let entity: String
    public let name: String
  }

  private struct Column: Hashable {
    let table: String
    let column: String

    init(_ table: String, _ column: String) {
      (self.table, self.column) = (table.uppercased(), column.uppercased())
    }
  }

  private var properties: [Column: [Property]] = [:]
  private var counts: [Column: [Property]] = [:]

  /// Reads lines of table, column, entity and property; an entity follows its parent.
  public init(_ text: String) {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: "\t").map(String.init)
      guard fields.count == 4 else { continue }
      let column = Column(fields[0], fields[1])
      let property = Property(entity: fields[2], name: fields[3])
      if property.name.hasSuffix(".@count") {
        counts[column, default: []].append(property)
      } else {
        properties[column, default: []].append(property)
      }
    }
  }

  public var isEmpty: Bool { properties.isEmpty }

  /// The properties of some columns of a table, in the first entity that has all of them.
  public func properties(_ columns: [String], of table: String) -> [Property]? {
    let all = columns.map { properties[Column(table, $0)] ?? [] }
    guard let first = all.first else { return nil }
    return first.lazy.compactMap { one -> [Property]? in
      let own = all.compactMap { $0.first { $0.entity == one.entity } }
      return own.count == columns.count ? own : nil
    }.first
  }

  /// The derivation that has the number of rows with the same key in a column.
  public func count(_ column: String, of table: String) -> Property? {
    counts[Column(table, column)]?.first
  }
}
