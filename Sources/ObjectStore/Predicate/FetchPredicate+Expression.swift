// SPDX-License-Identifier: Apache-2.0

extension FetchPredicate {
  /// One side of a comparison.
  public indirect enum Expression: Hashable, Sendable {
    /// A value.
    case constant(StoreValue)
    /// `{1, 2}`, or an array given as an argument.
    case list([Expression])
    /// A property, or a path over relationships.
    case path(PropertyPath)
    /// `stopTimes.@count`, `stopTimes.@max.departureTime`.
    case collection(CollectionOperator, of: Expression, property: [String])
    /// `SUBQUERY(stopTimes, $x, $x.departureTime > 0)`.
    case subquery(Subquery)
    /// Two operands and an operator.
    case arithmetic(ArithmeticOperator, Expression, Expression)
    /// A function by its name in the format, such as `lowercase:`.
    case function(String, [Expression])

    /// The expressions that it is made of; the predicate of a subquery has its own.
    var parts: [Self] {
      switch self {
      case .constant, .path, .subquery: []
      case .list(let elements), .function(_, let elements): elements
      case .collection(_, let base, _): [base]
      case .arithmetic(_, let left, let right): [left, right]
      }
    }

    /// The expression with others instead of its parts.
    func replacingParts<Failure: Error>(
      _ replacement: (Self) throws(Failure) -> Self
    ) throws(Failure) -> Self {
      switch self {
      case .constant, .path, .subquery: return self
      case .list(let elements): return .list(try elements.map(replacement))
      case .function(let name, let arguments):
        return .function(name, try arguments.map(replacement))
      case .collection(let operation, let base, let property):
        return .collection(operation, of: try replacement(base), property: property)
      case .arithmetic(let operation, let left, let right):
        return .arithmetic(operation, try replacement(left), try replacement(right))
      }
    }
  }

  /// A way along properties: `stop.name`, `$x.departureTime`, or `SELF` without any.
  public struct PropertyPath: Hashable, Sendable {
    /// The variable it starts from, without `$`; nil for the object itself.
    public var variable: String?
    /// The names along the path.
    public var names: [String]

    /// Makes a path from the object itself or from a variable.
    public init(_ names: [String] = [], variable: String? = nil) {
      self.variable = variable
      self.names = names
    }
  }

  /// The objects of a to-many relationship that fulfil a condition.
  public struct Subquery: Hashable, Sendable {
    /// The to-many relationship that is searched.
    public var collection: PropertyPath
    /// The variable's name in the condition, without `$`.
    public var variable: String
    /// The condition on its objects.
    public var predicate: FetchPredicate

    /// Makes a subquery over the objects at a path.
    public init(_ collection: PropertyPath, variable: String, where predicate: FetchPredicate) {
      self.collection = collection
      self.variable = variable
      self.predicate = predicate
    }
  }

  /// A computation over a collection; the raw value is the format's operator, without `@`.
  public enum CollectionOperator: String, Hashable, Sendable, CaseIterable {
    /// A function over the objects of a to-many relationship.
    case count, sum, min, max, avg
  }

  /// Computes with numbers; the raw value is the format's sign.
  public enum ArithmeticOperator: String, Hashable, Sendable, CaseIterable {
    /// Addition.
    case add = "+"
    /// Subtraction.
    case subtract = "-"
    /// Multiplication.
    case multiply = "*"
    /// Division.
    case divide = "/"
    /// Power.
    case power = "**"
  }
}
