// SPDX-License-Identifier: Apache-2.0

/// How a slot of a row snapshot is read.
enum SlotKind: UInt8, Sendable {
  case integer, real, text, blob
}

extension AttributeType {
  var slotKind: SlotKind {
    switch self {
    case .int16, .int32, .int64, .bool: .integer
    case .double, .float, .date: .real
    case .string, .url: .text
    case .data, .uuid: .blob
    }
  }
}

/// How the values of an entity's rows are laid out.
struct RowLayout: Sendable {
  let kinds: [SlotKind]
  /// What a new row has as `Z_ENT`, which a row of a hierarchy keeps behind its slots; else nil.
  var entityID: Int64?
  var slotCount: Int { kinds.count }
  var nullWordCount: Int { (kinds.count + 63) / 64 }
  /// Null bits and slots, in words of eight bytes.
  var fixedWordCount: Int { nullWordCount + kinds.count + (entityID == nil ? 0 : 1) }
}

/// What every snapshot begins with.
public struct RowHeader: Sendable {
  @usableFromInline let primaryKey: Int64
  /// `Z_OPT`.
  @usableFromInline let version: Int64
  /// When the row was read, in nanoseconds of the monotonic clock.
  let loadedAt: Int64
  @usableFromInline let nullWordCount: Int32
  let wordCount: UInt32

  init(primaryKey: Int64, version: Int64, loadedAt: Int64, nullWordCount: Int, wordCount: Int) {
    self.primaryKey = primaryKey
    self.version = version
    self.loadedAt = loadedAt
    self.nullWordCount = Int32(truncatingIfNeeded: nullWordCount)
    // A row is at most 2^31 bytes long, by SQLite's limits.
    self.wordCount = UInt32(truncatingIfNeeded: wordCount)
  }
}

/// The values of one row as they were at one moment: immutable, and one allocation.
///
///     ┌────────┬──────────────┬────────┬────────┬─────┬─────────────────────────┐
///     │ header │ null bits    │ slot 0 │ slot 1 │  …  │ bytes of text and blobs │
///     └────────┴──────────────┴────────┴────────┴─────┴─────────────────────────┘
///
/// A slot is an integer, the bits of a real, or the place (upper half, from the first null word)
/// and the count (lower half) of bytes. Text and blobs become Swift values when they are read.
public final class RowSnapshot: ManagedBuffer<RowHeader, UInt64> {
  @inlinable var primaryKey: Int64 { header.primaryKey }
  @inlinable var version: Int64 { header.version }
  var loadedAt: Int64 { header.loadedAt }
  /// What the snapshot takes, in bytes; 32 stands for the object header and the allocator's.
  var byteCount: Int { 32 + MemoryLayout<RowHeader>.size + Int(header.wordCount) * 8 }

  @inlinable
  func isNull(_ slot: Int) -> Bool {
    withUnsafeMutablePointerToElements { $0[slot &>> 6] & (1 &<< UInt64(slot & 63)) != 0 }
  }

  @inlinable
  func word(_ slot: Int) -> UInt64 {
    withUnsafeMutablePointers { $1[Int($0.pointee.nullWordCount) &+ slot] }
  }

  @inlinable
  func integer(_ slot: Int) -> Int64 { Int64(bitPattern: word(slot)) }

  @inlinable
  func double(_ slot: Int) -> Double { Double(bitPattern: word(slot)) }

  @inlinable
  func withBytes<R>(_ slot: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    withUnsafeMutablePointers { header, words in
      let place = words[Int(header.pointee.nullWordCount) &+ slot]
      let start = UnsafeRawPointer(words) + Int(place &>> 32)
      return body(UnsafeRawBufferPointer(start: start, count: Int(place & 0xffff_ffff)))
    }
  }
}
