// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// A value of several counts and times, each of them listed once.
///
///     static let sums = Sums<Self, Self>(\.waits, \.time, max: \.longest)
public protocol Summed: Additive {
  /// The stored properties that add up.
  static var sums: Sums<Self, Self> { get }
}

extension Summed {
  /// Adds the sums of another value.
  public mutating func add(_ other: Self) { Self.sums.add(other, to: &self) }

  /// The counts and times since an earlier value.
  func since(_ earlier: Self) -> Self {
    var difference = self
    Self.sums.deduct(earlier, from: &difference)
    return difference
  }
}

/// The stored properties of a value that add up, and the ones of an event that they are read from.
///
/// Key paths are resolved to offsets once: events are added by the million.
public struct Sums<Value, Part>: Sendable {
  private typealias Offsets = (value: Int, part: Int)
  private var counts: [Offsets] = []
  private var times: [Offsets] = []
  private var others: [@Sendable (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void] = []

  private init() {}

  /// - Parameter pairs: the properties that are added, and the ones that they are read from.
  init<each Sum: Additive>(_ pairs: repeat (KeyPath<Value, each Sum>, KeyPath<Part, each Sum>)) {
    for pair in repeat each pairs { append(pair) }
  }

  /// The sums with other ones; one that the part does not have is left out.
  func appending<Metric>(
    _ metrics: [Metric], _ pair: (Metric) -> (Amount<Value>, Amount<Part>?)
  ) -> Self {
    metrics.reduce(into: self) { sums, metric in
      switch pair(metric) {
      case (.count(let value), .count(let part)): sums.append((value, part))
      case (.time(let value), .time(let part)): sums.append((value, part))
      default: break
      }
    }
  }

  private mutating func append<Sum: Additive>(_ pair: (KeyPath<Value, Sum>, KeyPath<Part, Sum>)) {
    let (value, part) = Self.offsets(pair)
    // Nearly all are one of these, which need no closure.
    if Sum.self == UInt64.self {
      counts.append((value, part))
    } else if Sum.self == Nanoseconds.self {
      times.append((value, part))
    } else {
      others.append {
        let sum: UnsafeMutablePointer<Sum> = $0.at(value)
        sum.pointee.add($1.at(part))
      }
    }
  }

  private static func offsets<Sum>(_ pair: (KeyPath<Value, Sum>, KeyPath<Part, Sum>)) -> Offsets {
    guard let value = MemoryLayout<Value>.offset(of: pair.0),
      let part = MemoryLayout<Part>.offset(of: pair.1)
    else { preconditionFailure("\(pair) are not stored properties") }
    return (value, part)
  }

  func add(_ part: Part, to value: inout Value) {
    change(&value, by: part, { $0.add($1) }, { $0.add($1) })
    guard !others.isEmpty else { return }
    withUnsafeMutablePointer(to: &value) { value in
      withUnsafePointer(to: part) { part in for add in others { add(value, part) } }
    }
  }

  /// Leaves the counts and times since an earlier value.
  func deduct(_ earlier: Part, from value: inout Value) {
    change(&value, by: earlier, { $0 = $0.since($1) }, { $0 = $0.since($1) })
  }

  @inline(__always)
  private func change(
    _ value: inout Value, by part: Part, _ changeCount: (inout UInt64, UInt64) -> Void,
    _ changeTime: (inout Nanoseconds, Nanoseconds) -> Void
  ) {
    withUnsafeMutablePointer(to: &value) { value in
      withUnsafePointer(to: part) { part in
        let (value, part) = (UnsafeMutableRawPointer(value), UnsafeRawPointer(part))
        for (sum, count) in counts { changeCount(&value.at(sum).pointee, part.at(count)) }
        for (sum, time) in times { changeTime(&value.at(sum).pointee, part.at(time)) }
      }
    }
  }
}

extension Sums where Part == Value {
  /// - Parameters:
  ///   - properties: the properties that are added.
  ///   - maxima: the properties of which the larger value stays.
  init<each Sum: Additive, each Maximum: Comparable & Sendable>(
    _ properties: repeat KeyPath<Value, each Sum>, max maxima: repeat KeyPath<Value, each Maximum>
  ) {
    for property in repeat each properties { append((property, property)) }
    for property in repeat each maxima { append(maximum: property) }
  }

  init(_ amounts: [Amount<Value>]) { self = Self().appending(amounts) { ($0, $0) } }

  private mutating func append<Maximum: Comparable & Sendable>(
    maximum: KeyPath<Value, Maximum>
  ) {
    let offset = Self.offsets((maximum, maximum)).value
    others.append { value, other in
      let sum: UnsafeMutablePointer<Maximum> = value.at(offset)
      sum.pointee = max(sum.pointee, other.at(offset))
    }
  }
}

extension UnsafeMutableRawPointer {
  fileprivate func at<Property>(_ offset: Int) -> UnsafeMutablePointer<Property> {
    (self + offset).assumingMemoryBound(to: Property.self)
  }
}

extension UnsafeRawPointer {
  fileprivate func at<Property>(_ offset: Int) -> Property {
    load(fromByteOffset: offset, as: Property.self)
  }
}
