// SPDX-License-Identifier: Apache-2.0

/// The values that one run of a statement bound, as a `values` event records them.
///
///     13.41, 'Am Treptower Park', NULL, x'00ff', 'once up…' /* cut, 9000 bytes */ /* 3 more */
///
/// The text is a list of SQL literals. A comment after a literal means that the value was longer,
/// and a comment at the end that more values followed.
public struct RecordedValues: Hashable, Sendable {
  public enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    /// The text, or its beginning where `byteCount` is larger than that of the text.
    case text(String, byteCount: Int)
    /// The bytes, or the first of them where `byteCount` is larger than their number.
    case blob([UInt8], byteCount: Int)
  }

  /// By parameter, from the first.
  public var values: [Value]
  /// How many values followed that were not recorded.
  public var omitted: Int

  /// UTF-8 bytes of a text, and bytes of a blob, that are recorded at most.
  // 256 is arbitrary: enough for every key, name and pattern, and private texts stay short.
  public static let maxValueSize = 256
  /// Values of one run that are recorded at most, and the bytes of all of them.
  // Both are arbitrary: more is the keys of a batch, of which the first ones are enough.
  public static let maxValueCount = 64
  public static let maxSize = 4096

  /// Cuts values that exceed the limits.
  public init(_ values: some Collection<Value>) {
    var size = 0
    self.values = values.prefix(Self.maxValueCount).map(\.cut).prefix { value in
      size += value.size
      return size <= Self.maxSize
    }
    omitted = values.count - self.values.count
  }

  init(values: [Value], omitted: Int) {
    self.values = values
    self.omitted = omitted
  }

  /// Whether every value is whole, so that the statement can run with them.
  public var isWhole: Bool { omitted == 0 && values.allSatisfy(\.isWhole) }
}

extension RecordedValues.Value {
  /// Whether nothing of the value is missing.
  public var isWhole: Bool {
    switch self {
    case .null, .integer, .real: true
    case .text(let text, let count): text.utf8.count == count
    case .blob(let bytes, let count): bytes.count == count
    }
  }

  fileprivate var size: Int {
    switch self {
    case .null, .integer, .real: 8
    case .text(let text, _): text.utf8.count
    case .blob(let bytes, _): bytes.count
    }
  }

  fileprivate var cut: Self {
    let limit = RecordedValues.maxValueSize
    switch self {
    case .null, .integer, .real: return self
    case .text(let text, let count):
      guard text.utf8.count > limit else { return self }
      var end = text.utf8.index(text.utf8.startIndex, offsetBy: limit)
      // Back to the beginning of the scalar.
      while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
      return .text(String(text[..<end]), byteCount: count)
    case .blob(let bytes, let count): return .blob(Array(bytes.prefix(limit)), byteCount: count)
    }
  }
}
