// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The committed counts of the hot paths, and what they were counted with.
struct Thresholds: Codable {
  /// A count means little with another compiler or library.
  var environment: [String: String]
  var paths: [String: Counts]
  /// How much more is no regression yet.
  var tolerancePercent: Counts

  /// A unit's work: a row, a fault, an object, a fetch, an event.
  struct Counts: Codable {
    /// Nil where they are not counted.
    var allocations: Double?
    var instructions: Double
  }

  init(environment: [String: String], paths: [String: Counts]) {
    self.environment = environment
    self.paths = paths
    // Instructions: another processor's memcpy is another piece of code. Allocations: exact, but
    // for tables that grow at other moments.
    tolerancePercent = Counts(allocations: 1, instructions: 3)
  }

  init(contentsOf path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    self = try JSONDecoder().decode(Thresholds.self, from: data)
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    var data = try encoder.encode(self)
    data.append(UInt8(ascii: "\n"))
    try data.write(to: URL(fileURLWithPath: path))
  }
}

/// A path's counts then and now.
struct Difference {
  enum Verdict: String {
    case same = ""
    case worse = "REGRESSION"
    case better = "better: tighten with UPDATE=1"
    case unknown = "no threshold"
  }

  let path: String
  let kind: String
  let before: Double?
  let now: Double
  let tolerancePercent: Double

  var verdict: Verdict {
    guard let before else { return .unknown }
    // A tenth is how exactly a count is kept.
    let margin = max(before * tolerancePercent / 100, 0.1)
    return now > before + margin ? .worse : now < before - margin ? .better : .same
  }

  var text: String {
    let columns = [
      path.padding(toLength: 15, withPad: " ", startingAt: 0),
      kind.padding(toLength: 13, withPad: " ", startingAt: 0),
      right(before.map { String(format: "%.1f", $0) } ?? "–"), right(String(format: "%.1f", now)),
      before.flatMap { $0 > 0 ? String(format: "%+6.1f%%", (now / $0 - 1) * 100) : nil }
        ?? "       ",
    ]
    let end = verdict == .same ? "" : "  " + verdict.rawValue
    return columns.joined(separator: " ") + end
  }

  private func right(_ text: String) -> String {
    String(repeating: " ", count: max(0, 10 - text.count)) + text
  }
}
