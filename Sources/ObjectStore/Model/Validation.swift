// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A rule that a save checks an attribute's value against.
///
///     let name = Attribute<String>("name").validated(.length(1...40), .matches("[A-Z].*"))
///     let rank = Attribute<Int32?>("rank").validated(.range(1...5))
///     let code = Attribute<Int>("code").validated(.custom("must be even") { $0.isMultiple(of: 2) })
///
/// Nil is checked against no rule: the attribute's type decides whether it is allowed.
public struct Validation<Value: AttributeValue>: Sendable {
  let makeCheck: @Sendable () -> ValidationCheck

  private init(_ check: @escaping @Sendable (Value) -> StoreError.ValidationFailure.Problem?) {
    makeCheck = { { value in Value(value).flatMap(check) } }
  }

  /// Any rule; the message states how a value breaks it, or which values are allowed.
  public static func custom(
    _ message: String, _ isValid: @escaping @Sendable (Value) -> Bool
  ) -> Self {
    Self { isValid($0) ? nil : .refused(message) }
  }

  /// The smallest and the largest value allowed, such as `1...5` or `0...`.
  public static func range<Bounds: RangeExpression<Value> & Sendable>(_ range: Bounds) -> Self {
    Self { range.contains($0) ? nil : .outOfRange(boundsText(range)) }
  }

  /// The number of characters of a text.
  public static func length<Bounds: RangeExpression<Int> & Sendable>(_ range: Bounds) -> Self
  where Value == String {
    Self { range.contains($0.count) ? nil : .wrongLength($0.count, allowed: boundsText(range)) }
  }

  /// The number of bytes.
  public static func length<Bounds: RangeExpression<Int> & Sendable>(_ range: Bounds) -> Self
  where Value == Data {
    Self { range.contains($0.count) ? nil : .wrongLength($0.count, allowed: boundsText(range)) }
  }

  /// A regular expression that the whole text must match, as MATCHES in a predicate.
  ///
  /// The expression is compiled when the model is built; an invalid expression then ends the
  /// program.
  public static func matches(_ pattern: String) -> Self where Value == String {
    Self(pattern: pattern)
  }

  private init(pattern: String) where Value == String {
    makeCheck = {
      guard let check = Self.check(matching: pattern) else {
        fatalError("'\(pattern)' is not a regular expression; fix the attribute's rule")
      }
      return check
    }
  }

  /// Nil for an invalid regular expression.
  static func check(matching pattern: String) -> ValidationCheck? where Value == String {
    guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z") else {
      return nil
    }
    return { value in
      guard case .string(let text) = value else { return nil }
      let all = NSRange(location: 0, length: text.utf16.count)
      return expression.firstMatch(in: text, range: all) == nil ? .mismatch(pattern) : nil
    }
  }
}

/// Checks a value that is not nil.
typealias ValidationCheck = @Sendable (StoreValue) -> StoreError.ValidationFailure.Problem?

extension Attribute {
  /// The attribute with rules that a save checks; a value that breaks one is refused.
  public func validated(_ rules: Validation<Value>...) -> Attribute {
    Attribute(self, adding: rules.map(\.makeCheck))
  }

  /// The attribute with rules for values that are not nil.
  public func validated<Wrapped>(_ rules: Validation<Wrapped>...) -> Attribute
  where Value == Wrapped? {
    Attribute(self, adding: rules.map(\.makeCheck))
  }
}

/// A range in Swift syntax.
private func boundsText<Bounds: RangeExpression>(_ range: Bounds) -> String {
  switch range {
  case let range as PartialRangeFrom<Bounds.Bound>: "\(range.lowerBound)..."
  case let range as PartialRangeThrough<Bounds.Bound>: "...\(range.upperBound)"
  case let range as PartialRangeUpTo<Bounds.Bound>: "..<\(range.upperBound)"
  default: "\(range)"
  }
}
