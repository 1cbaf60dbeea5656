// SPDX-License-Identifier: Apache-2.0

/// Several ways to do the same work, measured side by side.
struct Comparison {
  let title: String
  /// What one run is divided by for a time a unit, and the unit's name.
  let units: (count: Int, name: String)
  /// The first is the reference that ratios are taken against.
  let contenders: [Contender]
}

/// One way to do the work.
struct Contender {
  let name: String
  /// The ratio to the reference that the design asks for; nil where it asks nothing.
  var goal: Goal?
  /// Does the work once, and answers a checksum that all contenders share.
  let run: () throws -> Int

  enum Goal {
    case atMost(Double)
    /// As many times faster than this contender.
    case fasterThan(String, times: Double)
  }
}

/// The times of one comparison, one a round and contender.
struct Measurement {
  let comparison: Comparison
  /// In nanoseconds, by contender, in the order of the rounds.
  let times: [[Double]]

  func median(_ contender: Int) -> Double { Statistics.median(times[contender]) }

  /// The median of the rounds' ratios to another contender, with its 95% interval.
  func ratio(_ contender: Int, to reference: Int) -> (median: Double, low: Double, high: Double) {
    let ratios = zip(times[contender], times[reference]).map { $0 / $1 }
    let interval = Statistics.medianInterval(ratios)
    return (Statistics.median(ratios), interval.low, interval.high)
  }
}

extension Comparison {
  /// Runs every contender once to warm up, then once a round in a random order.
  ///
  /// - Throws: ``BenchmarkError/checksums`` if two contenders did not do the same work.
  func measure(rounds: Int) throws -> Measurement {
    let checksums = try contenders.map { try $0.run() }
    guard Set(checksums).count == 1 else {
      throw BenchmarkError.checksums(
        title, zip(contenders.map(\.name), checksums).map { "\($0): \($1)" })
    }
    let clock = ContinuousClock()
    var times = contenders.map { _ in [Double]() }
    for _ in 0..<rounds {
      for index in contenders.indices.shuffled() {
        let time = try clock.measure { _ = try contenders[index].run() }
        times[index].append(Double(time / .nanoseconds(1)))
      }
    }
    return Measurement(comparison: self, times: times)
  }
}

enum BenchmarkError: Error, CustomStringConvertible {
  case checksums(String, [String])
  case sqlite(String)

  var description: String {
    switch self {
    case .checksums(let title, let sums):
      "\(title): the contenders did not do the same work (\(sums.joined(separator: ", ")))"
    case .sqlite(let message): "SQLite: \(message)"
    }
  }
}
