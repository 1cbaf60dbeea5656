// SPDX-License-Identifier: Apache-2.0

import StoreEvents

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

  /// Leaves the differences to an earlier value.
  public mutating func deduct(_ earlier: Self) { Self.sums.deduct(earlier, from: &self) }
}

/// The stored properties of a value that add up, and the ones of an event that they are read from.
///
/// Key paths are resolved to offsets once: events are added by the million.
public struct Sums<Value, Part>: Sendable {
  private var counts: [Offsets] = []
  private var times: [Offsets] = []
  private var others: [any Term] = []

  private init() {}

  /// - Parameters:
  ///   - pairs: the properties that are added, and the ones that they are read from.
  ///   - maxima: the properties of which the larger value stays.
  init<each Sum: Additive, each Maximum: Comparable & Sendable>(
    _ pairs: repeat (KeyPath<Value, each Sum>, KeyPath<Part, each Sum>),
    max maxima: repeat (KeyPath<Value, each Maximum>, KeyPath<Part, each Maximum>)
  ) {
    for pair in repeat each pairs { append(pair) }
    for pair in repeat each maxima { appendMaximum(pair) }
  }

  private mutating func append<Sum: Additive>(
    _ pair: (KeyPath<Value, Sum>, KeyPath<Part, Sum>)
  ) {
    let offsets = Offsets(pair)
    // Nearly all are one of these, which need no call through a protocol.
    if Sum.self == UInt64.self {
      counts.append(offsets)
    } else if Sum.self == Nanoseconds.self {
      times.append(offsets)
    } else {
      others.append(AddedTerm<Sum>(offsets: offsets))
    }
  }

  private mutating func appendMaximum<Maximum: Comparable & Sendable>(
    _ pair: (KeyPath<Value, Maximum>, KeyPath<Part, Maximum>)
  ) {
    others.append(MaximumTerm<Maximum>(offsets: Offsets(pair)))
  }

  /// The sums with other ones; a pair without a part is left out.
  func appending<Metric>(
    _ metrics: [Metric], _ pair: (Metric) -> (Amount<Value>, Amount<Part>?)
  ) -> Self {
    var sums = self
    for metric in metrics {
      switch pair(metric) {
      case (.count(let value), .count(let part)): sums.append((value, part))
      case (.time(let value), .time(let part)): sums.append((value, part))
      default: continue
      }
    }
    return sums
  }

  func add(_ part: Part, to value: inout Value) {
    withUnsafeBytes(part, &value) { part, value in
      for property in counts { property.of(value, UInt64.self).pointee.add(property.of(part)) }
      for property in times { property.of(value, Nanoseconds.self).pointee.add(property.of(part)) }
      for property in others { property.add(part, to: value) }
    }
  }

  func deduct(_ part: Part, from value: inout Value) {
    withUnsafeBytes(part, &value) { part, value in
      for property in counts { property.of(value, UInt64.self).pointee.deduct(property.of(part)) }
      for property in times {
        property.of(value, Nanoseconds.self).pointee.deduct(property.of(part))
      }
      for property in others { property.deduct(part, from: value) }
    }
  }

  @inline(__always)
  private func withUnsafeBytes(
    _ part: Part, _ value: inout Value,
    _ body: (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
  ) {
    withUnsafePointer(to: part) { part in
      withUnsafeMutablePointer(to: &value) {
        body(UnsafeRawPointer(part), UnsafeMutableRawPointer($0))
      }
    }
  }
}

extension Sums where Part == Value {
  init(_ amounts: [Amount<Value>]) { self = Self().appending(amounts) { ($0, $0) } }

  /// - Parameters:
  ///   - properties: the properties that are added.
  ///   - maxima: the properties of which the larger value stays.
  init<each Sum: Additive, each Maximum: Comparable & Sendable>(
    _ properties: repeat KeyPath<Value, each Sum>, max maxima: repeat KeyPath<Value, each Maximum>
  ) {
    for property in repeat each properties { append((property, property)) }
    for property in repeat each maxima { appendMaximum((property, property)) }
  }
}

/// The places of a property in a value and in the part that is added to it.
private struct Offsets {
  var value: Int
  var part: Int

  init<Value, Part, Property>(_ pair: (KeyPath<Value, Property>, KeyPath<Part, Property>)) {
    guard let value = MemoryLayout<Value>.offset(of: pair.0),
      let part = MemoryLayout<Part>.offset(of: pair.1)
    else { preconditionFailure("\(pair) are not stored properties") }
    (self.value, self.part) = (value, part)
  }

  func of<Property>(_ part: UnsafeRawPointer) -> Property {
    (part + self.part).assumingMemoryBound(to: Property.self).pointee
  }

  func of<Property>(
    _ value: UnsafeMutableRawPointer, _: Property.Type
  ) -> UnsafeMutablePointer<Property> {
    (value + self.value).assumingMemoryBound(to: Property.self)
  }
}

/// A property of any type.
private protocol Term: Sendable {
  func add(_ part: UnsafeRawPointer, to value: UnsafeMutableRawPointer)
  func deduct(_ part: UnsafeRawPointer, from value: UnsafeMutableRawPointer)
}

private struct AddedTerm<Sum: Additive>: Term {
  var offsets: Offsets

  func add(_ part: UnsafeRawPointer, to value: UnsafeMutableRawPointer) {
    offsets.of(value, Sum.self).pointee.add(offsets.of(part))
  }

  func deduct(_ part: UnsafeRawPointer, from value: UnsafeMutableRawPointer) {
    offsets.of(value, Sum.self).pointee.deduct(offsets.of(part))
  }
}

private struct MaximumTerm<Maximum: Comparable & Sendable>: Term {
  var offsets: Offsets

  func add(_ part: UnsafeRawPointer, to value: UnsafeMutableRawPointer) {
    let maximum = offsets.of(value, Maximum.self)
    maximum.pointee = max(maximum.pointee, offsets.of(part))
  }

  func deduct(_ part: UnsafeRawPointer, from value: UnsafeMutableRawPointer) {}
}
