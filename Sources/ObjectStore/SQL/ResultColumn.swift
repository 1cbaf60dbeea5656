// SPDX-License-Identifier: Apache-2.0

/// One column of a dictionary result: a value of each object, or one that is computed of a group.
public struct ResultColumn: Hashable, Sendable {
  /// The name in the dictionary, HAVING and the sort terms.
  public var name: String
  /// The expression that is selected.
  public var expression: FetchPredicate.Expression
  /// The aggregate function; nil for the value itself.
  public var aggregate: Aggregate?

  /// A computation over the values of a group.
  public enum Aggregate: String, Hashable, Sendable, CaseIterable {
    /// The number of values that are not nil.
    case count
    /// A real, 0 for no values: SQLite's `total`, which does not overflow.
    case sum
    /// The smallest value.
    case min
    /// The largest value.
    case max
    /// A real, or nil for no values.
    case average

    var function: String {
      switch self {
      case .count: "COUNT"
      case .sum: "total"
      case .min: "min"
      case .max: "max"
      case .average: "avg"
      }
    }
  }

  /// Makes a column of an expression.
  public init(
    _ name: String, _ expression: FetchPredicate.Expression, aggregate: Aggregate? = nil
  ) {
    self.name = name
    self.expression = expression
    self.aggregate = aggregate
  }

  /// Makes a column of a property, or of a key path such as `stop.name`, by that name.
  public init(_ keyPath: String) { self.init(keyPath, .path(.init(keyPath: keyPath))) }

  /// The names along the way, if it is a property's own value.
  var propertyPath: [String]? {
    guard aggregate == nil, case .path(let path) = expression, path.variable == nil else {
      return nil
    }
    return path.names
  }
}

/// How the values of a result column are read.
enum ResultType: Sendable {
  case attribute(AttributeType)
  /// The column of an attribute with external storage.
  case externalData
  case object(EntityDescription)
  /// The next column holds the entity.
  case objectAndEntity(EntityDescription)
  /// The value that SQLite returns.
  case dynamic

  init(_ attribute: AttributeDescription) {
    self = attribute.allowsExternalBinaryDataStorage ? .externalData : .attribute(attribute.type)
  }

  var columnCount: Int32 {
    if case .objectAndEntity = self { 2 } else { 1 }
  }

  init(_ operand: ResolvedOperand, _ aggregate: ResultColumn.Aggregate?) {
    switch (aggregate, operand) {
    case (.count, _): self = .attribute(.int64)
    case (.sum, .property(_, .attribute(let attribute))),
      (.average, .property(_, .attribute(let attribute))):
      self = .attribute(attribute.type == .decimal ? .decimal : .double)
    case (.sum, _), (.average, _): self = .attribute(.double)
    case (_, .property(_, .attribute(let attribute))): self = ResultType(attribute)
    case (_, .property(_, .toOne(let relationship))): self = .object(relationship.destination)
    case (_, .property(_, .object(let entity))): self = .object(entity)
    default: self = .dynamic
    }
  }
}
