// SPDX-License-Identifier: Apache-2.0

/// A value of a format with the counters beside its other fields.
@dynamicMemberLookup
public protocol CountedFields: Codable, Hashable, Sendable {
  /// The type of the other fields.
  associatedtype Fields: Codable
  /// The type of the counters.
  associatedtype Counters: Codable
  /// The fields that are not counters.
  var fields: Fields { get set }
  /// The counters.
  var counters: Counters { get set }
  /// Makes a value of both.
  ///
  /// - Parameters:
  ///   - fields: the fields that are not counters.
  ///   - counters: the counters.
  init(fields: Fields, counters: Counters)
}

extension CountedFields {
  /// A field that is not a counter.
  public subscript<Field>(dynamicMember path: WritableKeyPath<Fields, Field>) -> Field {
    get { fields[keyPath: path] }
    set { fields[keyPath: path] = newValue }
  }

  /// Reads both.
  public init(from decoder: any Decoder) throws {
    self.init(fields: try Fields(from: decoder), counters: try Counters(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    try fields.encode(to: encoder)
    try counters.encode(to: encoder)
  }
}
