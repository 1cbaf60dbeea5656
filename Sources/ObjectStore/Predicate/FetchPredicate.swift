// SPDX-License-Identifier: Apache-2.0

/// A condition on the objects of an entity: one tree, whether it was written as a format string,
/// as typed Swift, or composed of others.
///
///     try FetchPredicate("%@ <= longitude AND longitude <= %@", west, east)
///     // WHERE (? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ?)
///
/// Terms keep the order in which they were written. A comparison with a missing value is neither
/// true nor false, as in SQL: neither `x == 5` nor `NOT x == 5` matches an object if `x` is nil.
public enum FetchPredicate: Hashable, Sendable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case always(Bool)
  /// One comparison.
  case comparison(Comparison)
  /// True if all predicates are true.
  case and([FetchPredicate])
  /// True if one predicate is true.
  case or([FetchPredicate])
  /// True if the predicate is false.
  indirect case not(FetchPredicate)

  /// One comparison, such as `ANY stopTimes.headsign BEGINSWITH[c] "u"`.
  public struct Comparison: Hashable, Sendable {
    /// The left operand.
    public var left: Expression
    /// The operator.
    public var comparator: Comparator
    /// The right operand.
    public var right: Expression
    /// How strings are compared.
    public var options: StringOptions
    /// The number of objects of a to-many relationship that must match.
    public var quantifier: Quantifier

    /// Makes a comparison; `options` count for strings only.
    public init(
      _ left: Expression, _ comparator: Comparator, _ right: Expression,
      options: StringOptions = [], quantifier: Quantifier = .direct
    ) {
      self.left = left
      self.comparator = comparator
      self.right = right
      self.options = options
      self.quantifier = quantifier
    }
  }

  /// How two values are compared; the raw value is the format's word.
  public enum Comparator: String, Hashable, Sendable, CaseIterable {
    /// Equal.
    case equal = "=="
    /// Not equal.
    case notEqual = "!="
    /// Less than.
    case less = "<"
    /// Less than or equal.
    case lessOrEqual = "<="
    /// Greater than.
    case greater = ">"
    /// Greater than or equal.
    case greaterOrEqual = ">="
    /// The right side is a list of two, both of them inside.
    case between = "BETWEEN"
    /// One of a list.
    case isIn = "IN"
    /// A string that contains another one.
    case contains = "CONTAINS"
    /// A string that begins with another one.
    case beginsWith = "BEGINSWITH"
    /// A string that ends with another one.
    case endsWith = "ENDSWITH"
    /// `?` matches one character, `*` any number.
    case like = "LIKE"
    /// A string that matches a regular expression as a whole.
    case matches = "MATCHES"
  }

  /// The objects of a to-many relationship that must fulfil a comparison.
  public enum Quantifier: String, Hashable, Sendable {
    /// The object's own value.
    case direct = ""
    /// At least one object matches.
    case any = "ANY"
    /// Every object matches.
    case all = "ALL"
  }

  /// The letters in `[cd]`.
  public struct StringOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    /// Makes options of their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `[c]`: upper and lower case are equal.
    public static let caseInsensitive = Self(rawValue: 1)
    /// `[d]`: diacritics are ignored.
    public static let diacriticInsensitive = Self(rawValue: 2)
    /// Both sides were normalized before: they are compared byte by byte.
    public static let normalized = Self(rawValue: 4)
    /// `[l]`: compares by the rules of the current locale.
    public static let localeSensitive = Self(rawValue: 8)
  }
}

extension FetchPredicate {
  /// Both hold; a chain of `&&` makes one list of terms.
  public static func && (left: consuming FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    guard case .and(var terms) = left else { return .and([left, right]) }
    if terms.count < groupSize {
      terms.append(right)
    } else if case .and(var group)? = terms.last, group.count < groupSize {
      group.append(right)
      terms[terms.count - 1] = .and(group)
    } else {
      terms.append(.and([right]))
    }
    return .and(terms)
  }

  /// At least one holds; a chain of `||` makes one list of terms.
  public static func || (left: consuming FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    guard case .or(var terms) = left else { return .or([left, right]) }
    if terms.count < groupSize {
      terms.append(right)
    } else if case .or(var group)? = terms.last, group.count < groupSize {
      group.append(right)
      terms[terms.count - 1] = .or(group)
    } else {
      terms.append(.or([right]))
    }
    return .or(terms)
  }

  /// A longer chain continues in groups: each step copies one group and the list of groups, not all
  /// previous terms.
  private static var groupSize: Int { 300 }

  /// The opposite, if there is one: a comparison with nil is neither.
  public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate { .not(predicate) }
}
