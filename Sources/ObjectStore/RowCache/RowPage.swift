// SPDX-License-Identifier: Apache-2.0

/// Rows that were read together, contiguous in one allocation; immutable after creation.
///
/// A fetch allocates a page for several dozen rows; an allocation for each row would cost as much
/// as reading it. A page lives as long as one of its rows is used by the row cache or an object.
final class RowPage: ManagedBuffer<RowPage.Header, UInt64> {
  struct Header {
    /// The number of rows in the row cache; guarded by its lock.
    // The first one: to the thread sanitizer a change of any is one of where the header begins.
    var cachedRows = 0
    let wordCount: Int
    let rowCount: Int
    /// When the rows were read, in nanoseconds of the monotonic clock.
    let loadedAt: Int64
  }

  /// Copies contiguous rows, and sets the page of each.
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

  /// The size of the page in bytes; 32 is for the object header and the allocator's.
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

extension RowPointer {
  /// The page, which wrote its own address into its rows; nil for ``RowSnapshot/deleted``.
  var unretainedPage: Unmanaged<RowPage>? {
    UnsafeRawPointer(bitPattern: UInt(words[Self.page])).map(Unmanaged.fromOpaque)
  }
}
