// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import StoreFunctions

/// A predicate with names that were found in the model and constants of the types of their
/// comparisons.
///
/// Both ways out start here, SQL and the evaluation in memory, so that they refuse the same
/// predicates and mean the same by the others.
indirect enum ResolvedPredicate {
  case always(Bool)
  case and([ResolvedPredicate])
  case or([ResolvedPredicate])
  case not(ResolvedPredicate)
  /// False or not known.
  case isNotTrue(ResolvedPredicate)
  case compare(ResolvedOperand, RelationalOperator, ResolvedOperand, StringFolding)
  /// An order by the rules of the current locale.
  case collate(ResolvedOperand, RelationalOperator, ResolvedOperand, StringFolding)
  case isNull(ResolvedOperand)
  case isNotNull(ResolvedOperand)
  case between(ResolvedOperand, ResolvedOperand, ResolvedOperand, StringFolding)
  /// The values hold no null.
  case isIn(ResolvedOperand, [StoreValue], StringFolding)
  case search(ResolvedOperand, StringSearch.Kind, ResolvedOperand, StringFolding)
  /// MATCHES; the pattern is compiled where it is a constant.
  case matches(ResolvedOperand, ResolvedOperand, StringFolding, compiled: RegularExpression?)
  /// An object, and a search of its entity's index.
  case matchesIndex(ResolvedOperand, TextSearch)
  /// At least one object of the collection fulfils the predicate, in which it is `slot`.
  case exists(ResolvedCollection, slot: Int, ResolvedPredicate)
}

/// `=`, `<` and similar operators; the raw value is SQL's.
enum RelationalOperator: String {
  case equal = "="
  case notEqual = "<>"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

/// One side of a resolved comparison.
indirect enum ResolvedOperand {
  case constant(StoreValue)
  case property(ResolvedPath, Property)
  /// The number of objects of a collection, or of its objects that match a predicate.
  case count(ResolvedCollection, slot: Int, where: ResolvedPredicate?)
  /// The sum, average, minimum or maximum of a collection's objects.
  case aggregate(ResolvedAggregate)
  case function(PredicateFunction, [ResolvedOperand], ValueKind)
  case cast(ResolvedOperand, ValueKind)
  /// `noindex:`.
  case unindexed(ResolvedOperand)
  /// A computed column of a fetch of dictionaries, by its name in the SQL.
  case result(String, ValueKind?)

  /// The end of a path.
  enum Property {
    case attribute(AttributeDescription)
    case toOne(RelationshipDescription)
    case object(EntityDescription)
  }
}

/// `stopTimes.@max.departureTime`, or the same over the objects that match a predicate.
struct ResolvedAggregate {
  var operation: FetchPredicate.CollectionOperator
  var collection: ResolvedCollection
  /// The variable that the value and the predicate use for each object.
  var slot: Int
  var value: ResolvedOperand
  var predicate: ResolvedPredicate?
}

/// To-one relationships, followed from slot 0, the object itself, or from a subquery's variable.
struct ResolvedPath {
  var slot: Int
  var steps: [RelationshipDescription]
}

/// A to-many relationship at the end of a path.
struct ResolvedCollection {
  var path: ResolvedPath
  var relationship: RelationshipDescription

  func isSame(as other: ResolvedCollection) -> Bool {
    relationship === other.relationship && path.slot == other.path.slot
      && path.steps.elementsEqual(other.path.steps, by: ===)
  }
}

extension ResolvedOperand {
  /// Whether it is reached by a to-one relationship.
  var mayBeNil: Bool {
    guard case .property(let path, .object) = self else { return true }
    return !path.steps.isEmpty
  }

  /// Nil for a constant, which takes the kind of the other side.
  var kind: ValueKind? {
    switch self {
    case .constant: nil
    case .property(_, .attribute(let attribute)):
      attribute.allowsExternalBinaryDataStorage ? .externalData : ValueKind(attribute.type)
    case .property(_, .toOne(let relationship)): .object(ObjectKind(relationship.destination))
    case .property(_, .object(let entity)): .object(ObjectKind(entity))
    case .count: .number
    case .aggregate(let aggregate):
      aggregate.operation == .min || aggregate.operation == .max ? aggregate.value.kind : .number
    case .function(_, _, let kind), .cast(_, let kind): kind
    case .unindexed(let operand): operand.kind
    case .result(_, let kind): kind
    }
  }
}
