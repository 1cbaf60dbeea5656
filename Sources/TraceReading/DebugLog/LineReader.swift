// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads a file line by line in large blocks; a line is a view of the block, never a copy.
final class LineReader {
  enum Line {
    /// The bytes without the line feed, and the carriage return before it; valid until the next
    /// call.
    case complete(UnsafeRawBufferPointer)
    /// The bytes after the last line feed of the input, or of a file that another one replaced.
    case cut(UnsafeRawBufferPointer)
    case tooLong
  }

  static let blockSize = 256 << 10
  // 16 MiB is arbitrary: SQLite's longest statement has 1 MB, escaped at worst 8 MB.
  static let longestLine = 16 << 20

  // 1 GiB is arbitrary: a longer text without a line feed is not a log.
  private static let longestSkip = 1 << 30

  private let file: any ByteSource
  /// The number of bytes that were read so far.
  @exclusivity(unchecked) private(set) var byteCount = 0
  private var skipped = 0
  // Unchecked: one thread reads, each line.
  @exclusivity(unchecked) private var buffer: UnsafeMutableRawBufferPointer
  @exclusivity(unchecked) private var start = 0
  @exclusivity(unchecked) private var end = 0
  /// The end of the next line, if it is already known.
  @exclusivity(unchecked) private var knownFeed: Int?
  @exclusivity(unchecked) private var isAtEnd = false
  @exclusivity(unchecked) private var isSkipping = false
  /// Whether a carriage return alone ends a line, as in files of old editors; nil before the first block.
  @exclusivity(unchecked) private var endsWithReturn: Bool?

  init(_ file: any ByteSource) {
    self.file = file
    buffer = .allocate(byteCount: Self.blockSize, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Whether the next line needs no more of the file.
  var hasBufferedLine: Bool {
    knownFeed = lineFeed(from: start)
    return knownFeed != nil
  }

  /// Returns the next line, or `nil` at the end, or if a growing input has no more data yet.
  func next() throws(TraceReadingFailure) -> Line? {
    var scanned = start
    while true {
      if let feed = knownFeed ?? lineFeed(from: scanned) {
        knownFeed = nil
        let line = UnsafeRawBufferPointer(rebasing: buffer[start..<feed]).withoutNULs
        start = feed + 1
        if !isSkipping { return .complete(line.last == UInt8(ascii: "\r") ? line.dropped : line) }
        isSkipping = false
        scanned = start
        continue
      }
      if isAtEnd { return consumeRest() }
      if end - start >= Self.longestLine {
        skipped = (isSkipping ? skipped : 0) + end - start
        start = end
        let isFirst = !isSkipping
        isSkipping = true
        if isFirst { return .tooLong }
        if skipped > Self.longestSkip {
          throw TraceReadingFailure(reason: "no line feed follows within 1 GiB")
        }
      }
      let held = end - start
      let generation = file.generation
      try fill()
      if file.generation != generation {
        start = held
        if held > 0, !isSkipping { return .cut(UnsafeRawBufferPointer(rebasing: buffer[..<held])) }
        isSkipping = false
      }
      if end == held, file.mayGrow { return nil }
      scanned = held
    }
  }

  private func lineFeed(from position: Int) -> Int? {
    guard position < end, let base = buffer.baseAddress,
      let feed = memchr(base + position, CInt(UInt8(ascii: "\n")), end - position)
    else { return nil }
    return UnsafeRawPointer(feed) - UnsafeRawPointer(base)
  }

  private func consumeRest() -> Line? {
    defer { start = end }
    let rest = UnsafeRawBufferPointer(rebasing: buffer[start..<end]).withoutNULs
    return rest.isEmpty || isSkipping ? nil : .cut(rest)
  }

  /// Moves the rest to the front of the buffer and reads after it.
  private func fill() throws(TraceReadingFailure) {
    let held = end - start
    if held * 2 > buffer.count { grow() }
    if start > 0, held > 0, let base = buffer.baseAddress { memmove(base, base + start, held) }
    start = 0
    end = held
    let count = file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[held...]))
    if count < 0 { throw TraceReadingFailure(reason: systemError()) }
    isAtEnd = count == 0 && !file.mayGrow
    if count > 0 { replaceReturns(held..<(held + count)) }
    end += count
    byteCount += count
  }

  /// Replaces carriage returns by line feeds if the first block has no line feeds.
  private func replaceReturns(_ range: Range<Int>) {
    let block = UnsafeMutableRawBufferPointer(rebasing: buffer[range])
    if endsWithReturn == nil {
      endsWithReturn =
        !block.contains(UInt8(ascii: "\n")) && block.contains(UInt8(ascii: "\r"))
    }
    guard endsWithReturn == true else { return }
    for index in block.indices where block[index] == UInt8(ascii: "\r") {
      block[index] = UInt8(ascii: "\n")
    }
  }

  private func grow() {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count * 2, alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
    buffer.deallocate()
    buffer = larger
  }
}

/// The reason why reading a file failed.
struct TraceReadingFailure: Error {
  let reason: String
}

extension UnsafeRawBufferPointer {
  fileprivate var dropped: Self { Self(rebasing: self[..<(count - 1)]) }

  /// The bytes behind the NULs that a process reserved in its log, and left when it was killed.
  @inline(__always)
  fileprivate var withoutNULs: Self {
    guard first == 0 else { return self }
    return Self(rebasing: self[(firstIndex { $0 != 0 } ?? endIndex)...])
  }
}
