// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML

/// Reads the contents of a model file.
///
///     <entity name="Stop" parentEntity="Place" elementID="Halt">
///       <attribute name="name" optional="YES" attributeType="String"/>
///       <relationship name="stopTimes" toMany="YES" deletionRule="Cascade"
///         destinationEntity="StopTime" inverseName="stop" inverseEntity="StopTime"/>
///       <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary"/></fetchIndex>
///     </entity>
final class ModelFileParser: NSObject, XMLParserDelegate {
  private let parser: XMLParser
  private let path: String
  private(set) var remarks: [String] = []
  private var entities: [EntityDefinition] = []
  private var failure: (any Error)?
  /// The declarations that cannot be kept, line by line.
  private var problems: [ModelFileError] = []
  /// Whether the entity being read has no name.
  private var isSkippingEntity = false
  private var isInEntity = false
  private var isModel = false
  private var hasRoot = false
  private var depth = 0
  /// The properties of the index or constraint being read; nil outside of one.
  private var properties: [String?]?
  private var indexName: String?
  private var hasUnknownElement = false

  init(_ data: Data, path: String) {
    parser = XMLParser(data: data)
    self.path = path
    super.init()
    parser.delegate = self
    parser.shouldResolveExternalEntities = false
  }

  /// - Throws: ``ModelFileError``.
  func parse() throws -> [EntityDefinition] {
    let isParsed = parser.parse()
    if let failure { throw failure }
    // A document that is cut off counts as parsed.
    guard isParsed, depth == 0, hasRoot else {
      throw ModelFileError.malformed(
        path: path, line: max(parser.lineNumber, 1),
        reason: parser.parserError?.localizedDescription ?? "it ends too early")
    }
    if let first = problems.first {
      throw problems.count == 1 ? first : ModelFileError.several(problems)
    }
    guard isModel else { throw error("no <model> element; this is not a data model") }
    return entities
  }

  func error(_ reason: String) -> ModelFileError {
    .invalid(path: path, line: max(parser.lineNumber, 1), reason: reason)
  }

  // The parser may continue after an error, and then report success.
  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    // If our own error stopped it, the XML is not at fault.
    failure =
      failure
      ?? ModelFileError.malformed(
        path: path, line: max(parser.lineNumber, 1), reason: error.localizedDescription)
  }

  // MARK: - Elements

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    hasRoot = true
    depth += 1
    guard failure == nil else { return }
    do {
      if name == "entity" { isSkippingEntity = false }
      guard !isSkippingEntity else { return }
      try start(name, ModelElement(name: name, values: attributes, parser: self))
    } catch let error as ModelFileError {
      if name == "entity" { isSkippingEntity = true }
      problems.append(error)
    } catch {
      failure = error
      parser.abortParsing()
    }
  }

  private func start(_ name: String, _ element: ModelElement) throws {
    switch name {
    case "model": isModel = true
    case "entity":
      guard isModel else { throw error("no <model> element; this is not a data model") }
      try entities.append(element.entity())
      isInEntity = true
    case _ where !isInEntity && !entities.isEmpty && Self.properties.contains(name):
      // Such as the elements of a composite type, which are siblings of the entities.
      remarks.append("'\(try element.givenName())' belongs to no entity and is not kept")
    case "attribute":
      guard let attribute = try element.attribute(remarks: &remarks, in: entityName) else { return }
      try change { $0.attributes.append(attribute) }
      if element.flag("indexed") {
        try change { $0.indexes.append(IndexDefinition(properties: [attribute.name])) }
      }
    case "relationship":
      guard !element.flag("transient") else {
        return remarks.append("\(entityName).\(try element.givenName()) is transient and not kept")
      }
      let relationship = try element.relationship()
      if relationship.inverse == nil {
        remarks.append(
          "\(entityName).\(relationship.name) has no inverse: what it leads to is not changed when "
            + "objects are deleted")
      }
      try change { $0.relationships.append(relationship) }
    case "fetchedProperty":
      remarks.append("\(entityName).\(try element.givenName()) is a fetched property and not kept")
    case "fetchRequest":
      remarks.append("the fetch request template \(try element.givenName()) is not kept")
    case "configuration":
      remarks.append(
        "the configuration \(try element.givenName()) is not kept: one store has all entities")
    case "fetchIndex":
      indexName = try element.givenName()
      properties = []
      hasUnknownElement = false
    case "compoundIndex", "uniquenessConstraint": properties = []
    case "fetchIndexElement":
      if element["type"] == "RTree" || element["property"] == nil { hasUnknownElement = true }
      properties?.append(element["property"])
    case "index", "constraint": properties?.append(element["value"])
    default: break
    }
  }

  private static let properties: Set = ["attribute", "relationship", "fetchedProperty"]

  private var entityName: String { entities.last?.name ?? "?" }

  private func change(_ body: (inout EntityDefinition) -> Void) throws {
    guard !entities.isEmpty else { throw error("a property outside of an entity") }
    body(&entities[entities.count - 1])
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    depth -= 1
    if name == "entity" { isInEntity = false }
    guard failure == nil, let properties else { return }
    do {
      switch name {
      case "fetchIndex":
        if hasUnknownElement {
          remarks.append(
            "the index \(indexName ?? "") of \(entityName) was not read: it has an expression, or is an R-tree"
          )
        } else {
          try change { $0.indexes.append(IndexDefinition(name: indexName, properties: properties)) }
        }
      case "compoundIndex":
        try change { $0.indexes.append(IndexDefinition(properties: properties)) }
      case "uniquenessConstraint": try change { $0.uniquenessConstraints.append(properties) }
      default: return
      }
    } catch {
      failure = error
      parser.abortParsing()
    }
    self.properties = nil
  }
}
