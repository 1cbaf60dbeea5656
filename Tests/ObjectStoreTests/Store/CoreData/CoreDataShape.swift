// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

/// One form that stores of Core Data have: the SQL that makes it, the model that fits it, and the
/// values that the store must read.
struct CoreDataShape: CustomTestStringConvertible, Sendable {
  let name: String
  let entities: [String]
  let sql: String
  /// In the notation of ``ModelText``.
  let model: String
  /// Lines of ``dump(_:)``.
  let expected: [String]
  var journal = "wal"
  var hasModelCache = true

  var testDescription: String { name }

  func file() throws -> CoreDataFile {
    try CoreDataFile(entities, sql, journal: journal, hasModelCache: hasModelCache)
  }

  /// The models that a file may be opened with.
  enum Fit: String, CaseIterable, Sendable {
    case fitting, older, newer, foreign, namesake
  }

  func model(_ fit: Fit, in folder: TemporaryDirectory) throws -> ManagedObjectModel {
    try ModelText(text(fit)).model(in: folder)
  }

  private func text(_ fit: Fit) -> String {
    let lines = model.split(separator: "\n").map(String.init)
    switch fit {
    case .fitting: return model
    case .older:
      // Without the last attribute of each entity that has two or more properties.
      return lines.map { line in
        let properties = line.split(separator: ";")
        guard properties.count > 1, let last = properties.last, !last.contains("->"),
          !last.contains("~"),
          !line.contains(" u=")
        else { return line }
        return properties.dropLast().joined(separator: ";")
      }.joined(separator: "\n")
    case .newer:
      return lines.map { line in
        guard !line.contains("^") else { return line }
        return line + "; addedText String; addedFlag Boolean ! =YES"
      }.joined(separator: "\n") + "\nZNovelty: text String"
    case .foreign:
      return "Invoice: number Int64; customer String; total Double\nPayment: date Date; sum Double"
    case .namesake:
      let name = lines[0].prefix { $0 != " " && $0 != ":" }
      return "\(name): alpha String; beta String; gamma String; delta String; epsilon Int64"
    }
  }
}

/// All objects, a line each: `Stop/1 name=A stopTimes=[2, 3]`.
func dump(_ container: PersistentContainer) throws -> [String] {
  let context = container.newBackgroundContext()
  var lines: [String] = []
  for entity in container.model.entities where entity.superentity == nil {
    for object in try context.fetch(entityNamed: entity.name) {
      var words = ["\(object.entity.name)/\(object.objectID.primaryKey)"]
      for name in object.entity.propertyNames {
        if let relationship = object.entity.relationship(named: name), relationship.isToMany {
          let keys = try object.objects(forKey: name).map(\.objectID.primaryKey)
          words.append("\(name)=\(relationship.isOrdered ? keys : keys.sorted())")
        } else {
          words.append("\(name)=\(text(try object.value(forKey: name)))")
        }
      }
      lines.append(words.joined(separator: " "))
    }
  }
  return lines.sorted()
}

private func text(_ value: StoreValue) -> String {
  switch value {
  case .null: "nil"
  case .bool(let bool): "\(bool)"
  case .integer(let integer): "\(integer)"
  case .double(let double): "\(double)"
  case .string(let string): string
  case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
  case .data(let data): data.map { String(format: "%02x", $0) }.joined()
  case .uuid(let uuid): uuid.uuidString
  case .url(let url): url.absoluteString
  case .object(let id): "\(id.entityName)/\(id.primaryKey)"
  default: "\(value)"
  }
}
