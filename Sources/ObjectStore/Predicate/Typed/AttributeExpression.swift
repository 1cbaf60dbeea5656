// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One value of each object, in a predicate written in Swift: an attribute, or a count.
///
///     { $0.longitude >= west && east >= $0.longitude && $0.note != nil }
///     // WHERE ( t0.ZLONGITUDE >= ? AND ? >=  t0.ZLONGITUDE AND  t0.ZNOTE IS NOT NULL)
public protocol AttributeExpression<Value> {
  /// The type of the attribute's value.
  associatedtype Value: AttributeValue
  /// The value's position in the predicate's tree.
  var predicateExpression: FetchPredicate.Expression { get }
  /// ANY or ALL for an attribute over a to-many relationship.
  var predicateQuantifier: FetchPredicate.Quantifier { get }
}

extension AttributeExpression {
  /// No quantifier.
  public var predicateQuantifier: FetchPredicate.Quantifier { .direct }
}

extension Attribute: AttributeExpression {
  /// The key path.
  public var predicateExpression: FetchPredicate.Expression { .path(.init(keyPath: keyPath)) }
}

/// An attribute of a subquery's object: `$x.departureTime`.
public struct VariableAttribute<Value: AttributeValue>: AttributeExpression {
  /// The key path from the variable.
  public let predicateExpression: FetchPredicate.Expression
}

/// The number of objects of a relationship or a subquery.
public struct CountExpression: AttributeExpression {
  /// A count is never nil.
  public typealias Value = Int
  /// `….@count`.
  public let predicateExpression: FetchPredicate.Expression
}

extension FetchPredicate.PropertyPath {
  /// `stop.name`, cut at its dots.
  init(keyPath: String) {
    let names =
      keyPath.utf8.contains(UInt8(ascii: "."))
      ? keyPath.split(separator: ".").map(String.init) : [keyPath]
    self.init(names)
  }
}

extension AttributeValue {
  fileprivate var constant: FetchPredicate.Expression { .constant(storeValue) }
}

// MARK: - Comparisons

extension AttributeExpression {
  private func compare(
    _ comparator: FetchPredicate.Comparator, _ value: Value
  ) -> FetchPredicate {
    .comparison(
      .init(
        predicateExpression, comparator, value.constant, quantifier: predicateQuantifier))
  }

  private func compare(
    from value: Value, _ comparator: FetchPredicate.Comparator
  ) -> FetchPredicate {
    .comparison(.init(value.constant, comparator, predicateExpression))
  }

  /// ` t0.ZNAME = ?`, or `IS NULL` where the value is nil.
  public static func == (left: Self, right: Value) -> FetchPredicate { left.compare(.equal, right) }
  /// ` t0.ZNAME <> ?`, or `IS NOT NULL` where the value is nil.
  public static func != (left: Self, right: Value) -> FetchPredicate {
    left.compare(.notEqual, right)
  }
  /// ` t0.ZNAME < ?`.
  public static func < (left: Self, right: Value) -> FetchPredicate { left.compare(.less, right) }
  /// ` t0.ZNAME <= ?`.
  public static func <= (left: Self, right: Value) -> FetchPredicate {
    left.compare(.lessOrEqual, right)
  }
  /// ` t0.ZNAME > ?`.
  public static func > (left: Self, right: Value) -> FetchPredicate {
    left.compare(.greater, right)
  }
  /// ` t0.ZNAME >= ?`.
  public static func >= (left: Self, right: Value) -> FetchPredicate {
    left.compare(.greaterOrEqual, right)
  }

  /// `? =  t0.ZNAME`.
  public static func == (left: Value, right: Self) -> FetchPredicate {
    right.compare(from: left, .equal)
  }
  /// `? <>  t0.ZNAME`.
  public static func != (left: Value, right: Self) -> FetchPredicate {
    right.compare(from: left, .notEqual)
  }
  /// `? <  t0.ZNAME`.
  public static func < (left: Value, right: Self) -> FetchPredicate {
    right.compare(from: left, .less)
  }
  /// `? <=  t0.ZNAME`.
  public static func <= (left: Value, right: Self) -> FetchPredicate {
    right.compare(from: left, .lessOrEqual)
  }
  /// `? >  t0.ZNAME`.
  public static func > (left: Value, right: Self) -> FetchPredicate {
    right.compare(from: left, .greater)
  }
  /// `? >=  t0.ZNAME`.
  public static func >= (left: Value, right: Self) -> FetchPredicate {
    right.compare(from: left, .greaterOrEqual)
  }

  /// `( t0.ZNAME Between ? AND ?)`; both bounds are inside.
  public func isBetween<Bound>(_ range: ClosedRange<Bound>) -> FetchPredicate
  where Value == Bound {
    between(range.lowerBound, range.upperBound)
  }

  /// `( t0.ZNAME Between ? AND ?)`; both bounds are inside.
  public func isBetween<Wrapped>(_ range: ClosedRange<Wrapped>) -> FetchPredicate
  where Value == Wrapped? {
    between(range.lowerBound, range.upperBound)
  }

  private func between(_ low: Value, _ high: Value) -> FetchPredicate {
    .comparison(
      .init(
        predicateExpression, .between, .list([low.constant, high.constant]),
        quantifier: predicateQuantifier))
  }

  /// ` t0.ZNAME IN (?, ?)`; many values are bound as one.
  public func isIn(_ values: some Sequence<Value>) -> FetchPredicate {
    .comparison(
      .init(
        predicateExpression, .isIn, .list(values.map(\.constant)),
        quantifier: predicateQuantifier))
  }

  /// ` t0.ZNAME =  t1.ZNAME`: two properties compared with each other.
  public func isEqual(to other: some AttributeExpression<Value>) -> FetchPredicate {
    .comparison(.init(predicateExpression, .equal, other.predicateExpression))
  }

  /// ` t0.ZARRIVAL <  t0.ZDEPARTURE`: two properties compared with each other.
  public func isLess(than other: some AttributeExpression<Value>) -> FetchPredicate {
    .comparison(.init(predicateExpression, .less, other.predicateExpression))
  }
}

// MARK: - Strings

/// String, URL and their optionals.
public protocol TextAttributeValue: AttributeValue {}

extension String: TextAttributeValue {}
extension URL: TextAttributeValue {}
extension Optional: TextAttributeValue where Wrapped: TextAttributeValue {}

extension AttributeExpression where Value: TextAttributeValue {
  private func compare(
    _ comparator: FetchPredicate.Comparator, _ text: String,
    _ options: FetchPredicate.StringOptions
  ) -> FetchPredicate {
    .comparison(
      .init(
        predicateExpression, comparator, text.constant, options: options,
        quantifier: predicateQuantifier))
  }

  /// Equal without regard to case or diacritics: `NSCoreDataStringFold( t0.ZNAME, 129) = ?`.
  public func isEqual(
    to text: String, options: FetchPredicate.StringOptions
  ) -> FetchPredicate { compare(.equal, text, options) }

  /// Without options a range that an index serves: `( t0.ZNAME >= ? AND  t0.ZNAME < ?)`.
  public func beginsWith(
    _ text: String, options: FetchPredicate.StringOptions = []
  ) -> FetchPredicate { compare(.beginsWith, text, options) }

  /// Reads each row's text: `instr( t0.ZNAME, ?) > 0`.
  public func contains(
    _ text: String, options: FetchPredicate.StringOptions = []
  ) -> FetchPredicate { compare(.contains, text, options) }

  /// Reads each row's text: `NSCoreDataStringSearch( t0.ZNAME, ?, 12, 0)`.
  public func endsWith(
    _ text: String, options: FetchPredicate.StringOptions = []
  ) -> FetchPredicate { compare(.endsWith, text, options) }

  /// Reads each row's text: `NSCoreDataLike( t0.ZNAME, ?, 0, 0)`; `?` is one character, `*` any
  /// number.
  public func like(
    _ pattern: String, options: FetchPredicate.StringOptions = []
  ) -> FetchPredicate { compare(.like, pattern, options) }

  /// Matches the whole text with a regular expression of ICU: `NSCoreDataMatches( t0.ZNAME, ?, 0)`.
  public func matches(
    _ pattern: String, options: FetchPredicate.StringOptions = []
  ) -> FetchPredicate { compare(.matches, pattern, options) }
}

extension AttributeExpression where Value: TextAttributeValue {
  /// Swift's name for ``beginsWith(_:options:)``.
  @available(*, unavailable, message: "call beginsWith(_:), which an index serves")
  public func hasPrefix(_ text: String) -> FetchPredicate { beginsWith(text) }

  /// Swift's name for ``endsWith(_:options:)``.
  @available(*, unavailable, message: "call endsWith(_:)")
  public func hasSuffix(_ text: String) -> FetchPredicate { endsWith(text) }

  /// Foundation's name for a search by the user's rules.
  @available(
    *, unavailable,
    message: "call contains(_:options:) with .caseInsensitive, .diacriticInsensitive"
  )
  public func localizedStandardContains(_ text: String) -> FetchPredicate { contains(text) }
}
