// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

extension StatementID: Codable {
  /// Reads the sixteen hexadecimal digits.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let value = UInt64(text, radix: 16) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "no statement id"))
    }
    self.init(rawValue: value)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension StatementID: CustomStringConvertible {
  /// Sixteen hexadecimal digits, as `--statement` takes them.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension SourceLocation {
  /// `transit/Search.swift:42`, or nil where the source does not contain it.
  public var text: String? { file.isEmpty ? nil : "\(file):\(line)" }
}
