// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// The state of one process of a log.
final class LogProcess {
  let identity: ProcessIdentity
  /// Nanoseconds by which the process's clock is ahead of UTC; `nil` until the log contains it.
  var utcOffset: Nanoseconds?
  private let head: [UInt8]
  // Unchecked: one thread reads, each line.
  @exclusivity(unchecked) private var ending = LogEnding()
  @exclusivity(unchecked) private var announced: Set<StatementID> = []
  /// The statements that were looked up last, by their lowest bits, to save the hash of most of
  /// them.
  @exclusivity(unchecked) private var lately = [StatementID?](repeating: nil, count: 64)
  // 65,536 is arbitrary: a store with SQL built from values would fill the memory.
  private static let maxStatements = 65_536

  init?(_ head: UnsafeRawBufferPointer, utcOffset: Nanoseconds?) {
    guard let identity = LogLine.identity(head) else { return nil }
    self.identity = identity
    self.utcOffset = utcOffset
    self.head = Array(head)
  }

  /// Whether a line begins with this process's name and id.
  func wrote(_ head: UnsafeRawBufferPointer) -> Bool {
    self.head.withUnsafeBytes { own in
      guard own.count == head.count else { return false }
      guard let one = own.baseAddress, let other = head.baseAddress else { return true }
      return memcmp(one, other, own.count) == 0
    }
  }

  /// Whether a statement is met for the first time; discards all statements rather than grow.
  func announces(_ id: StatementID) -> Bool {
    let slot = Int(truncatingIfNeeded: id.rawValue) & (lately.count - 1)
    if lately[slot] == id { return false }
    if announced.count >= Self.maxStatements { discardStatements() }
    lately[slot] = id
    return announced.insert(id).inserted
  }

  private func discardStatements() {
    announced.removeAll()
    for slot in lately.indices { lately[slot] = nil }
  }

  /// Consumes a line of the process for the count and the sum that its closing line states.
  func check(_ line: LogLine, _ whole: UnsafeRawBufferPointer, ledger: SourceLedger) {
    if ending.consume(line, whole) { return }
    ledger.addProblem("\(name): its line 'log closed' is damaged")
  }

  /// Records its closing lines: how many lines come before them, and how the process ended.
  func end(_ ledger: SourceLedger) { ending.note(of: name, in: ledger) }

  private var name: String { "\(LogText.escaped(identity.name))[\(identity.id)]" }

  /// Starts again: another process may have got the same id.
  func reopen(utcOffset: Nanoseconds?) {
    discardStatements()
    if let utcOffset { self.utcOffset = utcOffset }
  }
}

/// The first line of each process's log.
///
///     log opened: vocabulary=1 utc_offset=+01:00 level=1
struct LogOpening {
  let vocabulary: Int64
  let utcOffset: Nanoseconds?

  init?(_ text: UnsafeRawBufferPointer) {
    var cursor = ByteCursor(text)
    guard cursor.consume("log opened: vocabulary="),
      let vocabulary = Int64(decimal: cursor.consume { $0 != UInt8(ascii: " ") })
    else { return nil }
    self.vocabulary = vocabulary
    utcOffset = cursor.consumeThrough("utc_offset=").flatMap { _ in cursor.consumeOffset() }
  }
}

extension ByteCursor {
  /// Parses `+05:30` as nanoseconds.
  fileprivate mutating func consumeOffset() -> Nanoseconds? {
    let isWest = next == UInt8(ascii: "-")
    guard isWest || next == UInt8(ascii: "+") else { return nil }
    skip()
    guard let hours = consumeDigits(2), consume(":"), let minutes = consumeDigits(2) else {
      return nil
    }
    return (isWest ? -1 : 1) * (hours * 60 + minutes) * 60_000_000_000
  }
}
