// SPDX-License-Identifier: Apache-2.0

/// The position of a row in its page, which the caller must retain.
///
///     ┌─────┬─────────┬──────┬────────┬───────────┬────────┬────────┬─────┬─────────────────────────┐
///     │ key │ version │ page │ counts │ null bits │ slot 0 │ slot 1 │  …  │ bytes of text and blobs │
///     └─────┴─────────┴──────┴────────┴───────────┴────────┴────────┴─────┴─────────────────────────┘
///
/// All in words of eight bytes. A slot is an integer, the bits of a real, or the extent of bytes:
/// their offset (upper half, from the first null word) and their count (lower half).
///
/// An attribute reads its value through it, which makes no copy and keeps nothing.
public struct RowPointer: Equatable, @unchecked Sendable {
  static let page = 2
  static let counts = 3
  @usableFromInline static var headerWords: Int { @inlinable get { 4 } }

  @usableFromInline let words: UnsafePointer<UInt64>

  @inlinable
  init(words: UnsafePointer<UInt64>) { self.words = words }

  var primaryKey: Int64 { Int64(bitPattern: words[0]) }
  var version: Int64 { Int64(bitPattern: words[1]) }
  /// The size of the whole row; a row is at most 2^31 bytes long, by SQLite's limits.
  var wordCount: Int { Int(words[Self.counts] &>> 32) }
  @inlinable var nullWordCount: Int { Int(words[3] & 0xffff_ffff) }

  @inlinable
  func isNull(_ slot: Int) -> Bool {
    words[Self.headerWords &+ slot &>> 6] & (1 &<< UInt64(slot & 63)) != 0
  }

  @inlinable
  func word(_ slot: Int) -> UInt64 { words[Self.headerWords &+ nullWordCount &+ slot] }

  @inlinable
  func integer(_ slot: Int) -> Int64 { Int64(bitPattern: word(slot)) }

  @inlinable
  func double(_ slot: Int) -> Double { Double(bitPattern: word(slot)) }

  /// Whether a slot of data holds where the data is, instead of the data.
  @inlinable
  func isExternal(_ slot: Int) -> Bool { Int64(bitPattern: word(slot)) < 0 }

  @inlinable
  func withBytes<R>(_ slot: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    let extent = word(slot)
    let start = UnsafeRawPointer(words + Self.headerWords) + Int(extent &>> 32)
    return body(UnsafeRawBufferPointer(start: start, count: Int(extent & 0xffff_ffff)))
  }
}
