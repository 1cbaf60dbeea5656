// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// A value for each of ``WorkMetric/counters``, as fields of a format.
///
///     CounterValues<JSONKeys>     // {"vmSteps": 99, "fullScanSteps": 0, …}
public struct CounterValues<Names: CounterNames>: Codable, Hashable, Sendable {
  /// The values; nil where one is unknown.
  public private(set) var values: [UInt64?]

  /// Makes the values.
  public init(_ value: (WorkMetric) -> UInt64? = { _ in 0 }) {
    values = WorkMetric.counters.map(value)
  }

  /// The value of a counter.
  public subscript(measure: Measures) -> UInt64? {
    zip(WorkMetric.counters, values).first { $0.0.measure == measure }?.1
  }

  /// The values that are known with their names in the format.
  public var named: [(name: String, value: UInt64)] {
    zip(WorkMetric.counters, values).compactMap { metric, value in
      value.map { (Names.name(of: metric), $0) }
    }
  }

  /// Adds other values; a sum of which one side is unknown is unknown.
  mutating func add(_ other: Self) {
    values = zip(values, other.values).map { mine, others in
      mine.flatMap { mine in others.map { mine.saturatingSum($0) } }
    }
  }

  /// Decodes the counters from the fields of an event.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldName.self)
    values = try WorkMetric.counters.map { metric in
      let name = FieldName(stringValue: Names.name(of: metric))
      return try Names.areOptional
        ? fields.decodeIfPresent(UInt64.self, forKey: name)
        : fields.decode(UInt64.self, forKey: name)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldName.self)
    for (name, value) in named { try fields.encode(value, forKey: FieldName(stringValue: name)) }
  }
}

/// The spelling of the counters in a format, and whether it may lack them.
public protocol CounterNames: Sendable {
  /// Whether a counter may be absent.
  static var areOptional: Bool { get }
  /// The key or the column of a counter.
  ///
  /// - Parameter metric: the counter.
  static func name(of metric: WorkMetric) -> String
}

/// Keys such as `vmSteps`.
public enum JSONKeys: CounterNames {
  public static var areOptional: Bool { false }
  public static func name(of metric: WorkMetric) -> String { metric.key }
}

/// Keys such as `vmSteps`, which may be absent.
public enum OptionalJSONKeys: CounterNames {
  public static var areOptional: Bool { true }
  public static func name(of metric: WorkMetric) -> String { metric.key }
}

/// Columns such as `vm_steps`.
public enum ColumnNames: CounterNames {
  public static var areOptional: Bool { false }
  public static func name(of metric: WorkMetric) -> String { metric.column }
}

private struct FieldName: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
