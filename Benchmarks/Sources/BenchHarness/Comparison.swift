// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Several ways to do the same work, measured side by side.
package struct Comparison {
  package let title: String
  /// What one run is divided by for a time a unit, and the unit's name.
  package let units: (count: Int, name: String)
  /// How many rounds at most, where it is not the run's number.
  package var rounds: Int?
  /// How many times the usual its rounds may take, where small differences matter.
  package var weight: Double
  /// The first is the reference that ratios are taken against.
  package var contenders: [Contender]
  /// A remark that the table does not contain, made when all rounds are done.
  package var remark: () throws -> String
  /// Goals other than a contender's time, checked then too.
  package var checks: () throws -> [Verdict]

  package init(
    title: String, units: (count: Int, name: String), rounds: Int? = nil, weight: Double = 1,
    contenders: [Contender],
    remark: @escaping () throws -> String = { "" },
    checks: @escaping () throws -> [Verdict] = { [] }
  ) {
    (self.title, self.units, self.rounds, self.contenders) = (title, units, rounds, contenders)
    (self.weight, self.remark, self.checks) = (weight, remark, checks)
  }
}

/// The times of one comparison, one a round and contender.
package struct Measurement {
  package let comparison: Comparison
  /// In nanoseconds a unit, by contender, in the order of the rounds.
  package let unitTimes: [[Double]]
  /// The processor time of all threads, in the same way; none where the work is another process's.
  package let processorTimes: [[Double]]
  /// The most memory of any run, in bytes, by contender.
  package let memory: [Int?]
  package let remark: String
  package let checks: [Verdict]

  package init(
    comparison: Comparison, unitTimes: [[Double]], processorTimes: [[Double]] = [],
    memory: [Int?], remark: String = "", checks: [Verdict] = []
  ) {
    (self.comparison, self.unitTimes, self.memory) = (comparison, unitTimes, memory)
    self.processorTimes =
      processorTimes.isEmpty ? comparison.contenders.map { _ in [] } : processorTimes
    (self.remark, self.checks) = (remark, checks)
  }

  package var rounds: Int { unitTimes[0].count }

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
  package func times(_ contender: Int) -> Ratio { Ratio(unitTimes[contender]) }

  /// The median processor time of a unit, where it was measured.
  package func processorTime(_ contender: Int) -> Double? {
    let times = processorTimes[contender]
    return times.isEmpty ? nil : Statistics.median(times)
  }

  /// Whether a contender worked in more than one thread.
  package var usesThreads: Bool {
    // What a thread that only waits takes is less.
    comparison.contenders.indices.contains {
      (processorTime($0) ?? 0) > 1.2 * times($0).median
    }
  }

  /// The median of the rounds' ratios to another contender, with its 95% interval.
  package func ratio(_ contender: Int, to reference: Int) -> Ratio {
    Ratio(zip(unitTimes[contender], unitTimes[reference]).map { $0 / $1 })
  }
}

/// A median with its 95% interval.
package struct Ratio {
  package let median: Double
  package let low: Double
  package let high: Double

  package init(_ values: [Double]) {
    median = Statistics.median(values)
    (low, high) = Statistics.medianInterval(values)
  }
}

/// How often each comparison is run.
package struct Rounds {
  package let most: Int
  package let least: Int
  /// What the rounds of one comparison of weight 1 may take together, as far as the least number
  /// allows.
  package let budget: Duration

  package init(most: Int, least: Int, budget: Duration) {
    (self.most, self.least, self.budget) = (most, least, budget)
  }

  package func count(_ comparison: Comparison, round: Duration) -> Int {
    let affordable = Int(budget * comparison.weight / max(round, .microseconds(1)))
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

  /// Itself without what it works on, which ends with its suite.
  private var described: Comparison {
    Comparison(title: title, units: units, contenders: contenders.map(\.described))
  }

  /// Runs every contender once to warm up, then once a round in a random order.
  ///
  /// - Throws: ``HarnessError/checksums`` if two contenders did not do the same work.
  package func measure(_ rounds: Rounds) throws -> Measurement {
    let clock = ContinuousClock()
    var checksums: [String: Set<Int>] = [:]
    let start = clock.now
    for contender in contenders {
      try contender.prepare()
      checksums[referenceName(of: contender), default: []].insert(try contender.run())
    }
    guard checksums.values.allSatisfy({ $0.count == 1 }) else {
      throw HarnessError.checksums(title, checksums.map { "\($0.key): \($0.value)" })
    }
    let count = rounds.count(self, round: clock.now - start)
    var times = contenders.map { _ in [Double]() }
    var processorTimes = times
    var memory = contenders.map { _ in Int?.none }
    for _ in 0..<count {
      for index in contenders.indices.shuffled() {
        let contender = contenders[index]
        try contender.prepare()
        let units = Double(contender.count ?? units.count)
        let processorStart = Self.processorTime
        let clocked = try clock.measure { _ = try contender.run() } / .nanoseconds(1)
        let processorTime = Self.processorTime - processorStart
        times[index].append((contender.time() ?? clocked) / units)
        if contender.time() == nil { processorTimes[index].append(processorTime / units) }
        memory[index] = [memory[index], contender.memory()].compactMap(\.self).max()
      }
    }
    return Measurement(
      comparison: described, unitTimes: times, processorTimes: processorTimes, memory: memory,
      remark: try remark(), checks: try checks())
  }

  /// Of this process and all its threads, in nanoseconds.
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
