// SPDX-License-Identifier: Apache-2.0

import BenchFixtures

/// Several ways to do the same work, measured side by side.
struct Comparison {
  let title: String
  /// What one run is divided by for a time a unit, and the unit's name.
  let units: (count: Int, name: String)
  /// How many rounds at most, where it is not the run's number.
  var rounds: Int?
  /// The first is the reference that ratios are taken against.
  var contenders: [Contender]
  /// What the table does not tell, asked for when all rounds are done.
  var remark: () throws -> String = { "" }
  /// Goals that are about no contender's time, asked for then too.
  var checks: () throws -> [Verdict] = { [] }
}

/// One way to do the work.
struct Contender {
  let name: String
  /// The ratio to the reference that the design asks for; nil where it asks nothing.
  var goal: Goal?
  /// Which contender its ratio is taken against, if not the first.
  var reference: String?
  /// How many units one run is, if not the comparison's number.
  var count: Int?
  /// How many bytes one run reads.
  var bytes: Int?
  /// What was published of this work elsewhere.
  var published: String?
  /// The time of the last run in nanoseconds, where the clock around it would tell another.
  var time: () -> Double? = { nil }
  /// The peak memory of the last run, in bytes.
  var memory: () -> Int? = { nil }
  /// Gets ready for one run; not measured.
  var prepare: () throws -> Void = {}
  /// Does the work once, and answers a checksum that all contenders with one reference share.
  let run: () throws -> Int
}

/// The times of one comparison, one a round and contender.
struct Measurement {
  let comparison: Comparison
  /// In nanoseconds a unit, by contender, in the order of the rounds.
  let unitTimes: [[Double]]
  /// The most memory of any run, in bytes, by contender.
  let memory: [Int?]
  let remark: String
  let checks: [Verdict]

  var rounds: Int { unitTimes[0].count }

  func count(_ contender: Int) -> Int {
    comparison.contenders[contender].count ?? comparison.units.count
  }

  func index(of name: String) -> Int {
    guard let index = comparison.contenders.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("no contender '\(name)' in '\(comparison.title)'")
    }
    return index
  }

  func reference(of contender: Int) -> Int {
    comparison.contenders[contender].reference.map(index) ?? 0
  }

  /// The median time of a unit, with its 95% interval.
  func times(_ contender: Int) -> Ratio { Ratio(unitTimes[contender]) }

  /// The median of the rounds' ratios to another contender, with its 95% interval.
  func ratio(_ contender: Int, to reference: Int) -> Ratio {
    Ratio(zip(unitTimes[contender], unitTimes[reference]).map { $0 / $1 })
  }
}

/// A median with its 95% interval.
struct Ratio {
  let median: Double
  let low: Double
  let high: Double

  init(_ values: [Double]) {
    median = Statistics.median(values)
    (low, high) = Statistics.medianInterval(values)
  }
}

/// How often each comparison is run.
struct Rounds {
  let most: Int
  let least: Int
  /// What the rounds of one comparison may take together, as far as the least number allows.
  let budget: Duration

  func count(_ comparison: Comparison, round: Duration) -> Int {
    let affordable = Int(budget / max(round, .microseconds(1)))
    let most = comparison.rounds ?? most
    return max(min(least, most), min(most, affordable))
  }
}

extension Comparison {
  /// Itself, if others are measured against it.
  private func referenceName(of contender: Contender) -> String {
    contenders.contains { $0.reference == contender.name }
      ? contender.name : contender.reference ?? contenders[0].name
  }

  /// Runs every contender once to warm up, then once a round in a random order.
  ///
  /// - Throws: ``BenchmarkError/checksums`` if two contenders did not do the same work.
  func measure(_ rounds: Rounds) throws -> Measurement {
    let clock = ContinuousClock()
    var checksums: [String: Set<Int>] = [:]
    let start = clock.now
    for contender in contenders {
      try contender.prepare()
      checksums[referenceName(of: contender), default: []].insert(try contender.run())
    }
    guard checksums.values.allSatisfy({ $0.count == 1 }) else {
      throw BenchmarkError.checksums(title, checksums.map { "\($0.key): \($0.value)" })
    }
    let count = rounds.count(self, round: clock.now - start)
    var times = contenders.map { _ in [Double]() }
    var memory = contenders.map { _ in Int?.none }
    for _ in 0..<count {
      for index in contenders.indices.shuffled() {
        let contender = contenders[index]
        try contender.prepare()
        let clocked = try clock.measure { _ = try contender.run() } / .nanoseconds(1)
        times[index].append(
          (contender.time() ?? clocked) / Double(contender.count ?? units.count))
        memory[index] = [memory[index], contender.memory()].compactMap(\.self).max()
      }
    }
    return Measurement(
      comparison: self, unitTimes: times, memory: memory, remark: try remark(),
      checks: try checks())
  }
}
