// SPDX-License-Identifier: Apache-2.0

/// The head of a -shm file: the contents of the log, and the state of readers and the checkpoint.
///
///     0    header        version, change counter, isInit, page size, mxFrame, nPage, checksums
///     48   header again  written second, so that equal copies are a whole header
///     96   nBackfill     frames that the checkpoint has copied into the database
///     100  read marks    five frame numbers
///     120  locks         eight bytes, never written
///     128  nBackfillAttempted
///
/// Related SQLite documentation: <https://www.sqlite.org/walformat.html#the_wal_index_file_format>
public struct WALIndex: Hashable, Sendable {
  public static let readMarkCount = 5
  /// The number of bytes that ``init(_:)`` takes.
  static let size = 136
  private static let version: UInt32 = 3_007_000
  /// `READMARK_NOT_USED`: a slot without a mark.
  private static let noMark: UInt32 = 0xffff_ffff

  public enum Validity: Hashable, Sendable {
    case valid
    /// The two copies differ: a writer is between them, or ended there.
    case copiesDiffer
    case checksumDiffers
    /// The next connection has to build it from the log.
    case needsRecovery
    case unknownVersion(UInt32)
  }

  public var validity: Validity
  /// Whether a machine of the other byte order wrote it.
  public var isOtherByteOrder: Bool
  /// Counts the transactions since the index was built.
  public var changeCounter: UInt32
  public var pageSize: Int
  /// The last frame of the last transaction: `mxFrame`.
  public var frames: UInt32
  /// The database's size in pages.
  public var pages: UInt32
  /// The log's salts, as their bytes.
  public var salts: [UInt8]
  /// How many frames the checkpoint has copied: `nBackfill`.
  public var checkpointed: UInt32
  /// How many frames a checkpoint has begun to copy: `nBackfillAttempted`.
  public var checkpointAttempted: UInt32
  /// The frame of each slot; nil for a slot without a mark.
  public var readMarks: [UInt32?]

  /// Reads the first ``size`` bytes of a -shm file; nil if there are fewer.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.size else { return nil }
    let reader = IntegerReader(bytes, bigEndian: Self.isBigEndian(bytes))
    isOtherByteOrder = reader.isBigEndian != IntegerReader.machineIsBigEndian
    changeCounter = reader.uint32(8)
    let size = reader.uint16(14)
    pageSize = size == 1 ? 65_536 : Int(size)
    frames = reader.uint32(16)
    pages = reader.uint32(20)
    salts = Array(bytes[32..<40])
    checkpointed = reader.uint32(96)
    checkpointAttempted = reader.uint32(128)
    readMarks = (0..<Self.readMarkCount).map {
      let mark = reader.uint32(100 + 4 * $0)
      return mark == Self.noMark ? nil : mark
    }
    validity = Self.validity(bytes, reader)
  }

  private static func isBigEndian(_ bytes: [UInt8]) -> Bool {
    let machine = IntegerReader.machineIsBigEndian
    let other = IntegerReader(bytes, bigEndian: !machine).uint32(0) == version
    return other ? !machine : machine
  }

  private static func validity(_ bytes: [UInt8], _ reader: IntegerReader) -> Validity {
    guard bytes[0..<48] == bytes[48..<96] else { return .copiesDiffer }
    guard bytes[12] != 0 else { return .needsRecovery }
    let version = reader.uint32(0)
    guard version == Self.version else { return .unknownVersion(version) }
    guard checksum(reader) == (reader.uint32(40), reader.uint32(44)) else {
      return .checksumDiffers
    }
    return .valid
  }

  /// The checksum of the first 40 bytes, as of a log's frames.
  private static func checksum(_ reader: IntegerReader) -> (UInt32, UInt32) {
    var sums: (UInt32, UInt32) = (0, 0)
    for offset in stride(from: 0, to: 40, by: 8) {
      sums.0 &+= reader.uint32(offset) &+ sums.1
      sums.1 &+= reader.uint32(offset + 4) &+ sums.0
    }
    return sums
  }
}

/// Integers at offsets within some bytes, in one byte order.
struct IntegerReader {
  static let machineIsBigEndian = UInt16(1).bigEndian == 1

  let bytes: [UInt8]
  let isBigEndian: Bool

  init(_ bytes: [UInt8], bigEndian: Bool) {
    self.bytes = bytes
    isBigEndian = bigEndian
  }

  func uint16(_ offset: Int) -> UInt16 { UInt16(truncatingIfNeeded: value(offset, 2)) }
  func uint32(_ offset: Int) -> UInt32 { value(offset, 4) }

  /// 0 where there are no such bytes.
  private func value(_ offset: Int, _ count: Int) -> UInt32 {
    guard offset >= 0, offset + count <= bytes.count else { return 0 }
    let part = bytes[offset..<offset + count]
    let ordered = isBigEndian ? Array(part) : part.reversed()
    return ordered.reduce(0) { $0 << 8 | UInt32($1) }
  }
}
