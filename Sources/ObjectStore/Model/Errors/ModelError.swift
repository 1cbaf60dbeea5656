// SPDX-License-Identifier: Apache-2.0

/// The reason why entities do not form a model.
public enum ModelError: Error, Hashable, Sendable {
  /// A name is empty, or holds anything but letters, digits and, inside, underscores.
  case invalidName(String, entity: String?)
  /// Two entities share a name, or names that differ in case only.
  case duplicateEntity(String)
  /// Two properties of an entity share a name.
  case duplicateProperty(String, entity: String)
  /// The destination of a relationship is not among the entities.
  case missingDestination(String, relationship: String, entity: String)
  /// The inverse is not a relationship of the destination that leads back.
  case mismatchedInverse(relationship: String, entity: String, found: String?)
  /// A part of an index or a uniqueness constraint is neither an attribute nor a to-one relationship.
  case invalidIndex(entity: String)
  /// A part of a search index is not an attribute with text values, or is named twice.
  case invalidSearchIndex(entity: String)
  /// An index or a uniqueness constraint is over an attribute with external storage.
  case indexOfExternalData(String, entity: String)
  /// A derived attribute has a source that is not an attribute of its entity, or that is itself
  /// derived.
  case invalidDerivation(String, entity: String)
  /// An entity inherits from one that is not among the entities.
  case missingSuperentity(String, entity: String)
  /// An entity inherits from itself.
  case circularInheritance(entity: String)
  /// Several of the above.
  case several([ModelError])
  /// An entity inherits over more steps than any store can hold in a reasonable time.
  case inheritanceTooDeep(entity: String, limit: Int)
  /// The table of an entity, and of all that inherit from it, has more columns than SQLite allows.
  case tooManyColumns(entity: String, count: Int, limit: Int)
}

extension ModelError: CustomStringConvertible {
  /// Describes the problem, with advice.
  public var description: String {
    switch self {
    case .invalidName(let name, let entity):
      "the name '\(name)'\(entity.map { " in entity \($0)" } ?? "") cannot name a column; begin with "
        + "a letter and use letters, digits and underscores"
    case .duplicateEntity(let name):
      "two entities share the table of '\(name)'; set another entityName for one of them"
    case .duplicateProperty(let name, let entity):
      "entity \(entity) declares '\(name)' twice; rename one of the two"
    case .missingDestination(let destination, let relationship, let entity):
      "\(entity).\(relationship) leads to \(destination), which the model lacks; add it to the "
        + "container's entities"
    case .mismatchedInverse(let relationship, let entity, let found):
      "\(entity).\(relationship) names \(found.map { "'\($0)'" } ?? "no relationship") as its inverse, "
        + "which does not lead back to it; make each of the two name the other"
    case .invalidIndex(let entity):
      "an index or uniqueness constraint of \(entity) names something that has no column; use its "
        + "attributes and to-one relationships"
    case .invalidSearchIndex(let entity):
      "the search index of \(entity) names a property that is not text; use each of its attributes of "
        + "type String or URL once"
    case .indexOfExternalData(let name, let entity):
      "an index or uniqueness constraint of \(entity) is over '\(name)', whose data may lie in a file; "
        + "leave it out, or keep the data in the row"
    case .invalidDerivation(let name, let entity):
      "\(entity).\(name) is derived from a property that is not an attribute of \(entity), or is itself derived; "
        + "derive it from an attribute that is set"
    case .missingSuperentity(let name, let entity):
      "entity \(entity) inherits from \(name), which the model lacks; add it to the container's "
        + "entities"
    case .circularInheritance(let entity):
      "entity \(entity) inherits from itself; set another superentity"
    case .several(let errors): errors.map(\.description).joined(separator: "\n")
    case .inheritanceTooDeep(let entity, let limit):
      "entity \(entity) inherits over more than \(limit) steps; let it inherit from an entity nearer "
        + "the root, or use relationships"
    case .tooManyColumns(let entity, let count, let limit):
      "the table of \(entity) and of the entities that inherit from it has \(count) columns, SQLite "
        + "allows \(limit); let some of them be entities of their own"
    }
  }
}

/// The errors of a model, collected so that all are reported at once.
struct ModelProblems {
  private var errors: [ModelError] = []

  mutating func add(_ error: ModelError) {
    if !errors.contains(error) { errors.append(error) }
  }

  /// Runs a check and keeps its error.
  mutating func collect(_ check: () throws -> Void) throws {
    do {
      try check()
    } catch ModelError.several(let errors) {
      for error in errors { add(error) }
    } catch let error as ModelError {
      add(error)
    }
  }

  /// - Throws: the error, or ``ModelError/several(_:)``.
  func check() throws {
    guard let first = errors.first else { return }
    throw errors.count == 1 ? first : ModelError.several(errors)
  }
}
