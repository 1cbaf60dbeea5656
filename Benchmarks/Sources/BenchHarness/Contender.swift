// SPDX-License-Identifier: Apache-2.0

/// One way to do the work.
package struct Contender {
  package let name: String
  /// The ratio to the reference that the design requires; nil where it has no goal.
  package var goal: Goal?
  /// Which contender its ratio is taken against, if not the first.
  package var reference: String?
  /// How many units one run is, if not the comparison's number.
  package var count: Int?
  /// How many bytes one run reads.
  package var bytes: Int?
  /// What was published of this work elsewhere.
  package var published: String?
  /// The time of the last run in nanoseconds, where the clock around it would measure another.
  package var time: () -> Double?
  /// The peak memory of the last run, in bytes.
  package var memory: () -> Int?
  /// Gets ready for one run; not measured.
  package var prepare: () throws -> Void
  /// Does the work once, and answers a checksum that all contenders with one reference share.
  package let run: () throws -> Int

  package init(
    name: String, goal: Goal? = nil, reference: String? = nil, count: Int? = nil,
    bytes: Int? = nil, published: String? = nil, time: @escaping () -> Double? = { nil },
    memory: @escaping () -> Int? = { nil }, prepare: @escaping () throws -> Void = {},
    run: @escaping () throws -> Int
  ) {
    (self.name, self.goal, self.reference) = (name, goal, reference)
    (self.count, self.bytes, self.published) = (count, bytes, published)
    (self.time, self.memory, self.prepare, self.run) = (time, memory, prepare, run)
  }

  /// Itself without what it works on.
  var described: Contender {
    Contender(
      name: name, goal: goal, reference: reference, count: count, bytes: bytes,
      published: published, run: { 0 })
  }
}
