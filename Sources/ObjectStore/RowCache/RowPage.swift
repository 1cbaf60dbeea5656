// SPDX-License-Identifier: Apache-2.0

/// Rows that were read together, one behind the other in one allocation; immutable once it is made.
///
/// A fetch allocates a page for some dozens of rows where an allocation for each would cost as much
/// as reading it. A page lives as long as one of its rows is used, by the row cache or an object.
final class RowPage: ManagedBuffer<RowPage.Header, UInt64> {
  struct Header {
    /// How many of the rows the row cache holds; guarded by its lock.
    // The first one: to the thread sanitizer a change of any is one of where the header begins.
    var cachedRows = 0
    let wordCount: Int
    let rowCount: Int
    /// When the rows were read, in nanoseconds of the monotonic clock.
    let loadedAt: Int64
  }

  /// Copies rows that lie one behind the other, and sets the page of each.
  static func make(
    _ words: UnsafePointer<UInt64>, wordCount: Int, rowCount: Int, loadedAt: Int64
  ) -> RowPage {
    let header = Header(wordCount: wordCount, rowCount: rowCount, loadedAt: loadedAt)
    let page = unsafeDowncast(
      RowPage.create(minimumCapacity: wordCount) { _ in header }, to: RowPage.self)
    page.withUnsafeMutablePointerToElements { start in
      start.initialize(from: words, count: wordCount)
      var row = start
      while row < start + wordCount {
        row[RowPointer.page] = UInt64(UInt(bitPattern: Unmanaged.passUnretained(page).toOpaque()))
        row += RowPointer(words: row).wordCount
      }
    }
    return page
  }

  var rowCount: Int { withUnsafeMutablePointerToHeader { $0.pointee.rowCount } }

  /// What the page takes, in bytes; 32 stands for the object header and the allocator's.
  var byteCount: Int {
    32 + MemoryLayout<Header>.size + withUnsafeMutablePointerToHeader { $0.pointee.wordCount } * 8
  }

  /// The row at the beginning.
  var first: RowSnapshot {
    withUnsafeMutablePointerToElements {
      RowSnapshot(page: self, pointer: RowPointer(words: UnsafePointer($0)))
    }
  }

  @inline(__always)
  func forEach(_ body: (RowPointer) -> Void) {
    withUnsafeMutablePointers { header, start in
      var words = UnsafePointer(start)
      let end = words + header.pointee.wordCount
      while words < end {
        let row = RowPointer(words: words)
        body(row)
        words += row.wordCount
      }
    }
  }
}

/// Where a row lies in its page, which the caller has to keep.
///
///     ┌─────┬─────────┬──────┬────────┬───────────┬────────┬────────┬─────┬─────────────────────────┐
///     │ key │ version │ page │ counts │ null bits │ slot 0 │ slot 1 │  …  │ bytes of text and blobs │
///     └─────┴─────────┴──────┴────────┴───────────┴────────┴────────┴─────┴─────────────────────────┘
///
/// All in words of eight bytes. A slot is an integer, the bits of a real, or the place (upper half,
/// from the first null word) and the count (lower half) of bytes.
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
  /// Of the whole row; a row is at most 2^31 bytes long, by SQLite's limits.
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
    let place = word(slot)
    let start = UnsafeRawPointer(words + Self.headerWords) + Int(place &>> 32)
    return body(UnsafeRawBufferPointer(start: start, count: Int(place & 0xffff_ffff)))
  }

  /// The page, which wrote its own address into its rows; nil for ``RowSnapshot/deleted``.
  var unretainedPage: Unmanaged<RowPage>? {
    UnsafeRawPointer(bitPattern: UInt(words[Self.page])).map(Unmanaged.fromOpaque)
  }
}
