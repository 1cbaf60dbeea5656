// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// Takes the lines of a log apart, of which most begin as the one before.
///
///     2026-11-21 14:12:28.633104 transit[2367:2370] ObjectStore: sql: SELECT 0, t0.Z_PK FROM …
///     └ second ─────────┘        └ head ──────────────────────┘
struct LogLineParser {
  /// The bytes of the last line's second, of which the last eight overlap.
  private var second: (UInt64, UInt64, UInt64) = (0, 0, 0)
  private var secondTime: Nanoseconds = 0
  /// The last line's head, with the space before it; empty if there was none.
  private var head: [UInt8] = []
  private var processCount = 0
  private var threadID: Int64 = 0

  private static let secondCount = 19
  private static let headOffset = 26

  /// Returns `nil` if the line is not of this form.
  mutating func line(_ line: UnsafeRawBufferPointer) -> LogLine? {
    fastLine(line) ?? newLine(line)
  }

  /// A line that begins as the last one, but for its microseconds.
  @inline(__always)
  private func fastLine(_ line: UnsafeRawBufferPointer) -> LogLine? {
    let textOffset = Self.headOffset + head.count
    guard !head.isEmpty, line.count >= textOffset, let base = line.baseAddress,
      Self.second(base) == second, let microseconds = Self.microseconds(base + Self.secondCount),
      head.withUnsafeBytes({ $0.baseAddress.map { memcmp($0, base + Self.headOffset, head.count) } }
      ) == 0,
      let (category, count) = LogLine.Category.prefix(
        of: UnsafeRawBufferPointer(start: base + textOffset, count: line.count - textOffset))
    else { return nil }
    return LogLine(
      localTime: secondTime + microseconds * 1000,
      process: UnsafeRawBufferPointer(start: base + Self.headOffset + 1, count: processCount),
      threadID: threadID, category: category,
      text: UnsafeRawBufferPointer(
        start: base + textOffset + count, count: line.count - textOffset - count))
  }

  private mutating func newLine(_ line: UnsafeRawBufferPointer) -> LogLine? {
    guard let parsed = LogLine(line), let base = line.baseAddress,
      let process = parsed.process.baseAddress
    else { return nil }
    second = Self.second(base)
    secondTime = parsed.localTime - parsed.localTime % 1_000_000_000
    processCount = parsed.process.count
    threadID = parsed.threadID
    var rest = ByteCursor(UnsafeRawBufferPointer(rebasing: line[(process - base)...]))
    guard rest.consumeThrough("] ObjectStore: ") != nil else { return parsed }
    head = Array(line[Self.headOffset..<(process - base + rest.position)])
    return parsed
  }

  @inline(__always)
  private static func second(_ base: UnsafeRawPointer) -> (UInt64, UInt64, UInt64) {
    (
      base.loadUnaligned(as: UInt64.self), base.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
      base.loadUnaligned(fromByteOffset: secondCount - 8, as: UInt64.self)
    )
  }

  /// Reads `.633104`.
  @inline(__always)
  private static func microseconds(_ base: UnsafeRawPointer) -> Nanoseconds? {
    guard base.load(as: UInt8.self) == UInt8(ascii: ".") else { return nil }
    var value: Int64 = 0
    for offset in 1...6 {
      let digit = base.load(fromByteOffset: offset, as: UInt8.self) &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return value
  }
}

extension LogLine.Category {
  /// The category at the start of the text after a line's head, and the length of its name.
  @inline(__always)
  fileprivate static func prefix(of text: UnsafeRawBufferPointer) -> (Self, count: Int)? {
    var cursor = ByteCursor(text)
    return cursor.consumeCategory().map { ($0, cursor.position) }
  }
}
