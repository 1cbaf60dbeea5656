// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The constraints of a model file on the values of an attribute, which a save checks.
extension ModelElement {
  func checks(_ type: AttributeType) throws -> [ValidationCheck] {
    switch type {
    case .int16, .int32, .int64, .double, .float, .decimal:
      try limits("minValueString", "maxValueString").map { [Self.check($0, $1, \.number)] } ?? []
    case .date:
      try limits("minDateTimeInterval", "maxDateTimeInterval").map {
        [Self.check($0, $1, \.number)]
      } ?? []
    case .string:
      try lengthCheck() + expressionCheck()
    case .bool, .data, .uuid, .url: []
    }
  }

  /// Nil without a limit.
  private func limits(_ least: String, _ most: String) throws -> (Double?, Double?)? {
    func number(_ key: String) throws -> Double? {
      guard let text = self[key] else { return nil }
      guard let number = Double(text) else {
        throw parser.error("the \(key) '\(text)' of attribute \(try givenName()) is not a number")
      }
      return number
    }
    let limits = try (number(least), number(most))
    return limits.0 == nil && limits.1 == nil ? nil : limits
  }

  private static func check(
    _ least: Double?, _ most: Double?, _ number: @escaping @Sendable (StoreValue) -> Double?
  ) -> ValidationCheck {
    { value in
      guard let number = number(value) else { return nil }
      let isAllowed = number >= least ?? -.infinity && number <= most ?? .infinity
      return isAllowed ? nil : .outOfRange(text(least, most))
    }
  }

  /// `1...9`, as Swift writes ranges.
  private static func text(_ least: Double?, _ most: Double?) -> String {
    func text(_ limit: Double?) -> String {
      limit.map { Int64(exactly: $0).map(String.init) ?? String($0) } ?? ""
    }
    return text(least) + "..." + text(most)
  }

  /// In UTF-16 code units, as Core Data counts.
  private func lengthCheck() throws -> [ValidationCheck] {
    guard let (least, most) = try limits("minValueString", "maxValueString") else { return [] }
    let allowed = Self.text(least, most)
    return [
      { value in
        guard case .string(let text) = value else { return nil }
        let length = text.utf16.count
        let isAllowed = Double(length) >= least ?? 0 && Double(length) <= most ?? .infinity
        return isAllowed ? nil : .wrongLength(length, allowed: allowed)
      }
    ]
  }

  private func expressionCheck() throws -> [ValidationCheck] {
    guard let pattern = self["regularExpressionString"], !pattern.isEmpty else { return [] }
    guard let check = Validation<String>.check(matching: pattern) else {
      throw parser.error(
        "'\(pattern)' of attribute \(try givenName()) is not a regular expression")
    }
    return [check]
  }
}

extension StoreValue {
  /// The number of a numeric value, or the seconds of a date.
  fileprivate var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .double(let double): double
    case .decimal(let decimal): decimal.storedNumber
    case .date(let date): date.timeIntervalSinceReferenceDate
    default: nil
    }
  }
}
