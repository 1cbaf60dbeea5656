// SPDX-License-Identifier: Apache-2.0

/// A value computed of a row, in a predicate written in Swift.
///
///     { $0.latitude + 1 > 53 && $0.stopTimes.max(\.departureTime) < 3600 }
///     // WHERE (( t0.ZLATITUDE + ?) > ? AND (SELECT MAX( t1.ZDEPARTURETIME) FROM … ) < ?)
public struct ComputedExpression<Value: AttributeValue>: AttributeExpression {
  /// The computation.
  public let predicateExpression: FetchPredicate.Expression
}

/// An attribute of any, or of all, of the objects of a to-many relationship.
///
///     { $0.stopTimes.any(\.headsign) == "Zoo" }
///     // WHERE EXISTS (SELECT 1 FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND ( t1.ZHEADSIGN = ?)) )
public struct QuantifiedAttribute<Value: AttributeValue>: AttributeExpression {
  /// The key path over the relationship.
  public let predicateExpression: FetchPredicate.Expression
  /// ANY or ALL.
  public let predicateQuantifier: FetchPredicate.Quantifier
}

extension AttributeExpression where Value: Numeric {
  private func compute(
    _ operation: FetchPredicate.ArithmeticOperator, _ right: FetchPredicate.Expression
  ) -> ComputedExpression<Value> {
    ComputedExpression(predicateExpression: .arithmetic(operation, predicateExpression, right))
  }

  /// `( t0.ZLATITUDE + ?)`.
  public static func + (left: Self, right: Value) -> ComputedExpression<Value> {
    left.compute(.add, .constant(right.storeValue))
  }
  /// `( t0.ZLATITUDE - ?)`.
  public static func - (left: Self, right: Value) -> ComputedExpression<Value> {
    left.compute(.subtract, .constant(right.storeValue))
  }
  /// `( t0.ZLATITUDE * ?)`.
  public static func * (left: Self, right: Value) -> ComputedExpression<Value> {
    left.compute(.multiply, .constant(right.storeValue))
  }
  /// `( t0.ZLATITUDE / ?)`; of integers without a remainder, nil where it divides by zero.
  public static func / (left: Self, right: Value) -> ComputedExpression<Value> {
    left.compute(.divide, .constant(right.storeValue))
  }
  /// `( t0.ZLATITUDE +  t0.ZLONGITUDE)`.
  public static func + (
    left: Self, right: some AttributeExpression<Value>
  ) -> ComputedExpression<Value> { left.compute(.add, right.predicateExpression) }
  /// `( t0.ZLATITUDE -  t0.ZLONGITUDE)`.
  public static func - (
    left: Self, right: some AttributeExpression<Value>
  ) -> ComputedExpression<Value> { left.compute(.subtract, right.predicateExpression) }
}

extension CollectionExpression {
  private func aggregate<Value, Result: AttributeValue>(
    _ operation: FetchPredicate.CollectionOperator,
    _ path: KeyPath<Destination, Attribute<Value>>
  ) -> ComputedExpression<Result> {
    let name = Destination()[keyPath: path].name
    return ComputedExpression(
      predicateExpression: .collection(operation, of: .path(predicatePath), property: [name]))
  }

  /// The smallest value, nil for an empty collection: `(SELECT MIN( t1.ZDEPARTURETIME) FROM … )`.
  public func min<Value>(
    _ path: KeyPath<Destination, Attribute<Value>>
  ) -> ComputedExpression<Value> { aggregate(.min, path) }

  /// The largest value, nil for an empty collection: `(SELECT MAX( t1.ZDEPARTURETIME) FROM … )`.
  public func max<Value>(
    _ path: KeyPath<Destination, Attribute<Value>>
  ) -> ComputedExpression<Value> { aggregate(.max, path) }

  /// The sum, 0 for an empty collection: `(SELECT total( t1.ZDEPARTURETIME) FROM … )`.
  public func sum<Value>(
    _ path: KeyPath<Destination, Attribute<Value>>
  ) -> ComputedExpression<Double> { aggregate(.sum, path) }

  /// The average, nil for an empty collection: `(SELECT AVG( t1.ZDEPARTURETIME) FROM … )`.
  public func average<Value>(
    _ path: KeyPath<Destination, Attribute<Value>>
  ) -> ComputedExpression<Double?> { aggregate(.avg, path) }

  /// An attribute of which one value has to fulfil the comparison: `EXISTS (SELECT 1 FROM … )`.
  public func any<Value>(
    _ path: KeyPath<Destination, Attribute<Value>>
  ) -> QuantifiedAttribute<Value> { quantified(.any, path) }

  /// An attribute of which all values have to: ` NOT (EXISTS (… IS NOT TRUE))`.
  public func all<Value>(
    _ path: KeyPath<Destination, Attribute<Value>>
  ) -> QuantifiedAttribute<Value> { quantified(.all, path) }

  private func quantified<Value>(
    _ quantifier: FetchPredicate.Quantifier, _ path: KeyPath<Destination, Attribute<Value>>
  ) -> QuantifiedAttribute<Value> {
    let name = Destination()[keyPath: path].name
    return QuantifiedAttribute(
      predicateExpression: .path(
        .init(predicatePath.names + [name], variable: predicatePath.variable)),
      predicateQuantifier: quantifier)
  }
}
