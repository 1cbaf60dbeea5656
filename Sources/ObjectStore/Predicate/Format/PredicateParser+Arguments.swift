// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension PredicateParser {
  /// Returns the next argument for `%@`, `%K`, `%d` and so on.
  mutating func argument(
    _ conversion: UInt8
  ) throws(PredicateFormatError) -> FetchPredicate.Expression {
    guard conversion != UInt8(ascii: "%") else {
      throw unexpected("a value; write modulus:by:(a, b) for a remainder")
    }
    guard argumentCount < arguments.count else {
      throw tokenizer.error(
        at: token.start, found: tokenizer.text(token) + " without an argument",
        expected: "more than \(arguments.count) arguments")
    }
    let value = arguments[argumentCount]?.predicateExpression ?? .constant(.null)
    switch (conversion, value) {
    case (UInt8(ascii: "K"), .constant(.string(let keyPath))):
      let path = try self.keyPath(keyPath)
      argumentCount += 1
      try advance()
      return path
    case (UInt8(ascii: "K"), _): throw misfit("a key path as a String")
    case (UInt8(ascii: "@"), _): break
    case (_, .constant(.integer)) where "diuoxXDUOcC".utf8.contains(conversion): break
    case (_, .constant(.bool)) where "di".utf8.contains(conversion): break
    // An unsigned integer beyond Int64.
    case (_, .constant(.double(0x1p63...))) where "uoxXUO".utf8.contains(conversion): break
    case (_, .constant(.double)) where "fFeEgGaA".utf8.contains(conversion): break
    case (_, .constant(.string)) where "sS".utf8.contains(conversion): break
    default:
      throw misfit(
        "diuoxXDUOcC".utf8.contains(conversion)
          ? "an integer" : "sS".utf8.contains(conversion) ? "a String" : "a Double")
    }
    argumentCount += 1
    try advance()
    return value
  }

  private func misfit(_ expected: String) -> PredicateFormatError {
    tokenizer.error(
      at: token.start,
      found: "\(tokenizer.text(token)) with another type as argument \(argumentCount + 1)",
      expected: expected)
  }

  /// `stop.name`, `stopTimes.@count` or `SELF`, as the argument of `%K`.
  private func keyPath(_ text: String) throws(PredicateFormatError) -> FetchPredicate.Expression {
    guard text != "SELF" else { return .path(.init()) }
    var names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !$0.isEmpty && $0 != "@" }) else { throw misfit("a key path") }
    guard let at = names.firstIndex(where: { $0.hasPrefix("@") }) else {
      return .path(.init(names))
    }
    guard at > 0,
      let operation = FetchPredicate.CollectionOperator(rawValue: String(names[at].dropFirst()))
    else { throw misfit("a key path with @count, @sum, @min, @max or @avg") }
    let property = Array(names[(at + 1)...])
    names.removeSubrange(at...)
    return .collection(operation, of: .path(.init(names)), property: property)
  }

  /// The constant that `CAST(constant, "NSDate")` is, or a function where it is of a property.
  func cast(
    _ arguments: [FetchPredicate.Expression], at start: PredicateToken
  ) throws(PredicateFormatError) -> FetchPredicate.Expression {
    guard arguments.count == 2, case .constant(.string(let type)) = arguments[1] else {
      throw unexpected(start, "CAST(value, \"NSDate\") or another type's name")
    }
    guard case .constant(let value) = arguments[0] else { return .function("CAST", arguments) }
    guard let cast = value.cast(to: type) else {
      throw unexpected(
        start,
        "a constant that is one of \(type) (NSDate, NSNumber, NSUUID, NSURL, NSData, "
          + "NSManagedObjectID)")
    }
    return .constant(cast)
  }
}

extension StoreValue {
  fileprivate func cast(to type: String) -> StoreValue? {
    switch (type, self) {
    case ("NSDate", .double(let seconds)): .date(Date(timeIntervalSinceReferenceDate: seconds))
    case ("NSDate", .integer(let seconds)):
      .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case ("NSNumber", .string(let text)): Double(text).map { .double($0) }
    case ("NSUUID", .string(let text)): UUID(uuidString: text).map { .uuid($0) }
    case ("NSURL", .string(let text)): URL(string: text).map { .url($0) }
    case ("NSData", .string(let text)): Data(hexadecimal: text).map { .data($0) }
    case ("NSManagedObjectID", .string(let text)):
      ManagedObjectID(literal: text).map { .object($0) }
    default: nil
    }
  }
}

extension Data {
  fileprivate init?(hexadecimal text: String) {
    let digits = text.utf8.map { Int8(Character(Unicode.Scalar($0)).hexDigitValue ?? -1) }
    guard digits.count.isMultiple(of: 2), !digits.contains(-1) else { return nil }
    self.init(
      stride(from: 0, to: digits.count, by: 2).map {
        UInt8(bitPattern: digits[$0] << 4 | digits[$0 + 1])
      })
  }
}

extension ManagedObjectID {
  /// Reads `x-coredata://<store UUID>/<entity>/p<primary key>`.
  fileprivate init?(literal text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "x-coredata:", parts[1].isEmpty, !parts[3].isEmpty,
      let kind = parts[4].first, kind == "p" || kind == "t",
      let magnitude = UInt64(parts[4].dropFirst()), magnitude <= UInt64(Int64.max)
    else { return nil }
    self.init(
      entityName: String(parts[3]),
      primaryKey: kind == "p" ? Int64(magnitude) : -Int64(magnitude), storeUUID: String(parts[2]))
  }
}
