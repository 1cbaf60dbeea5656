// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A value for `%@` or another placeholder of a predicate format.
///
/// Numbers, Bool, String, Date, Data, UUID, URL, object ids, and arrays, sets and closed ranges of
/// them.
public protocol PredicateArgument {
  /// The value as an expression of a predicate: a constant, or a list of constants.
  var predicateExpression: FetchPredicate.Expression { get }
}

extension PredicateArgument where Self: FixedWidthInteger {
  /// An integer; a UInt64 beyond Int64 becomes the nearest double.
  public var predicateExpression: FetchPredicate.Expression {
    .constant(Int64(exactly: self).map { .integer($0) } ?? .double(Double(self)))
  }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Bool: PredicateArgument {
  /// `TRUE` or `FALSE`.
  public var predicateExpression: FetchPredicate.Expression { .constant(.bool(self)) }
}

extension Double: PredicateArgument {
  /// A number.
  public var predicateExpression: FetchPredicate.Expression { .constant(.double(self)) }
}

extension Float: PredicateArgument {
  /// A number, widened to a double.
  public var predicateExpression: FetchPredicate.Expression { .constant(.double(Double(self))) }
}

extension String: PredicateArgument {
  /// A string.
  public var predicateExpression: FetchPredicate.Expression { .constant(.string(self)) }
}

extension Substring: PredicateArgument {
  /// A string.
  public var predicateExpression: FetchPredicate.Expression { .constant(.string(String(self))) }
}

extension Date: PredicateArgument {
  /// A date.
  public var predicateExpression: FetchPredicate.Expression { .constant(.date(self)) }
}

extension Data: PredicateArgument {
  /// Bytes.
  public var predicateExpression: FetchPredicate.Expression { .constant(.data(self)) }
}

extension Decimal: PredicateArgument {
  /// The number as a column holds it.
  public var predicateExpression: FetchPredicate.Expression { .constant(.double(storedNumber)) }
}

extension UUID: PredicateArgument {
  /// A UUID.
  public var predicateExpression: FetchPredicate.Expression { .constant(.uuid(self)) }
}

extension URL: PredicateArgument {
  /// A URL.
  public var predicateExpression: FetchPredicate.Expression { .constant(.url(self)) }
}

extension StoreValue: PredicateArgument {
  /// The value itself.
  public var predicateExpression: FetchPredicate.Expression { .constant(self) }
}

extension ManagedObjectID: PredicateArgument {
  /// The object, as `SELF` or the end of a to-one relationship.
  public var predicateExpression: FetchPredicate.Expression { .constant(.object(self)) }
}

extension Array: PredicateArgument where Element: PredicateArgument {
  /// A list, for IN.
  public var predicateExpression: FetchPredicate.Expression {
    .list(map(\.predicateExpression))
  }
}

extension Set: PredicateArgument where Element: PredicateArgument {
  /// A list, for IN; its order is undefined.
  public var predicateExpression: FetchPredicate.Expression {
    .list(map(\.predicateExpression))
  }
}

extension Dictionary: PredicateArgument where Value: PredicateArgument {
  /// A list of its values, for IN; their order is undefined.
  public var predicateExpression: FetchPredicate.Expression {
    .list(values.map(\.predicateExpression))
  }
}

extension ClosedRange: PredicateArgument where Bound: PredicateArgument {
  /// A list of both bounds, for BETWEEN.
  public var predicateExpression: FetchPredicate.Expression {
    .list([lowerBound.predicateExpression, upperBound.predicateExpression])
  }
}
