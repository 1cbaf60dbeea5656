// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reports on stderr how far a long task is: nothing in the first second, then a live line on a
/// terminal, and a line every ten seconds elsewhere.
public final class ProgressReporter {
  private let verb: String
  private let unit: String
  private let total: Int?
  private let isTerminal: Bool
  private let start = ContinuousClock.now
  private var nextReport: ContinuousClock.Instant
  private var didReport = false

  /// Begins a work.
  ///
  /// - Parameters:
  ///   - verb: what is done: `generating`.
  ///   - unit: what is counted: `stop times`.
  ///   - total: how many there will be, if that is known.
  public init(_ verb: String, unit: String, total: Int? = nil) {
    self.verb = verb
    self.unit = unit
    self.total = total
    isTerminal = isatty(2) == 1
    nextReport = start + .seconds(1)
  }

  /// Reports how many are done; cheap enough to call every few thousand.
  public func update(done: Int) {
    let now = ContinuousClock.now
    guard now >= nextReport else { return }
    nextReport = now + (isTerminal ? .milliseconds(200) : .seconds(10))
    didReport = true
    write(line(done: done, after: now - start), ending: isTerminal ? "" : "\n")
  }

  /// Ends the task; prints how long it took if that was over a second.
  public func finish(done: Int) {
    let elapsed = ContinuousClock.now - start
    guard didReport || elapsed >= .seconds(1) else { return }
    let rate = Int(Double(done) / max(elapsed.seconds, 0.001))
    write("\(verb): \(done) \(unit) in \(elapsed.tenths) s, \(rate)/s", ending: "\n")
  }

  private func line(done: Int, after elapsed: Duration) -> String {
    let rate = Double(done) / elapsed.seconds
    let counted = total.map { "\(done) of \($0)" } ?? "\(done)"
    let left = total.flatMap { total -> String? in
      guard rate > 0 else { return nil }
      return ", \(Int((Double(total - done) / rate).rounded(.up))) s left"
    }
    return "\(verb): \(counted) \(unit), \(Int(rate))/s\(left ?? "")"
  }

  private func write(_ text: String, ending: String) {
    // Back to the line's beginning, and clear what stood there.
    let prefix = isTerminal ? "\r\u{1B}[K" : ""
    try? FileHandle.standardError.write(contentsOf: Data((prefix + text + ending).utf8))
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }

  /// Seconds with one digit after the point.
  fileprivate var tenths: String {
    let tenths = Int((seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
