// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The frames of a write-ahead log that a recovery accepts, from its start.
///
/// A frame is valid if its salts equal the log header's and its checksum continues the previous
/// frame's. A transaction ends with the frame that has the size of the database.
///
/// Related SQLite documentation: <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>
public struct WALFrames: Hashable, Sendable {
  /// Valid frames, including frames after the last commit.
  public var valid: UInt32 = 0
  /// The last frame of the last transaction: `mxFrame` after a recovery.
  public var committed: UInt32 = 0
  /// The last frame of each transaction, up to a limit.
  public var commits: [UInt32] = []
  /// The number of pages of the database after the last transaction.
  public var pages: UInt32 = 0
  /// Whether the file has the header of a log.
  public var hasHeader = false

  // 50 million commits would take 200 MB; a log of that size is damaged or a mistake.
  private static let maxCommits = 1_000_000

  /// Reads a log; nil if the file cannot be opened.
  public init?(path: String, maxFrames: UInt32 = .max) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: 32)
    guard pread(descriptor, &header, 32, 0) == 32 else { return }
    let reader = IntegerReader(header, bigEndian: true)
    let magic = reader.uint32(0)
    let pageSize = Int(reader.uint32(8))
    guard magic & 0xffff_fffe == 0x377f_0682, (512...65_536).contains(pageSize),
      pageSize & (pageSize - 1) == 0
    else { return }
    var sums = WALChecksum(isBigEndian: magic & 1 == 1)
    header.withUnsafeBytes { sums.add($0, 0..<24) }
    guard sums.first == reader.uint32(24), sums.second == reader.uint32(28) else { return }
    hasHeader = true
    let salts = header[16..<24]
    var frame = [UInt8](repeating: 0, count: pageSize + 24)
    while valid < maxFrames {
      let offset = off_t(32) + off_t(valid) * off_t(frame.count)
      guard pread(descriptor, &frame, frame.count, offset) == frame.count, frame[8..<16] == salts
      else { break }
      let head = IntegerReader(Array(frame[..<24]), bigEndian: true)
      frame.withUnsafeBytes {
        sums.add($0, 0..<8)
        sums.add($0, 24..<$0.count)
      }
      guard head.uint32(0) != 0, sums.first == head.uint32(16), sums.second == head.uint32(20)
      else { break }
      valid += 1
      guard head.uint32(4) != 0 else { continue }
      committed = valid
      pages = head.uint32(4)
      if commits.count < Self.maxCommits { commits.append(valid) }
    }
  }

  /// The number of transactions that end after a frame and up to another one.
  public func transactions(after first: UInt32, to last: UInt32) -> UInt64 {
    UInt64(commits.count { $0 > first && $0 <= last })
  }
}

/// The checksum of a log: two sums over pairs of integers.
private struct WALChecksum {
  let isBigEndian: Bool
  var first: UInt32 = 0
  var second: UInt32 = 0

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  mutating func add(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    func integer(_ offset: Int) -> UInt32 {
      let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      return isBigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value)
    }
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      first &+= integer(offset) &+ second
      second &+= integer(offset + 4) &+ first
    }
  }
}
