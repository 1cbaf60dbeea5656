// SPDX-License-Identifier: Apache-2.0

/// The values of one row as they were at one moment, immutable: an address in a page, and the page.
struct RowSnapshot: @unchecked Sendable {
  let page: RowPage
  let pointer: RowPointer

  init(page: RowPage, pointer: RowPointer) {
    self.page = page
    self.pointer = pointer
  }

  var primaryKey: Int64 { pointer.primaryKey }
  /// `Z_OPT`.
  var version: Int64 { pointer.version }
  /// When the row was read, in nanoseconds of the monotonic clock.
  var loadedAt: Int64 { page.header.loadedAt }

  /// Whether both are the same reading of a row.
  static func === (a: RowSnapshot, b: RowSnapshot) -> Bool { a.pointer == b.pointer }

  func isNull(_ slot: Int) -> Bool { withExtendedLifetime(page) { pointer.isNull(slot) } }

  func word(_ slot: Int) -> UInt64 { withExtendedLifetime(page) { pointer.word(slot) } }

  func integer(_ slot: Int) -> Int64 { Int64(bitPattern: word(slot)) }

  func isExternal(_ slot: Int) -> Bool {
    withExtendedLifetime(page) { pointer.isExternal(slot) }
  }

  func withBytes<R>(_ slot: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    withExtendedLifetime(page) { pointer.withBytes(slot, body) }
  }

  /// Reads a value that is not NULL.
  func value<Value: AttributeValue>(_ slot: Int) -> Value {
    withExtendedLifetime(page) { Value(row: pointer, slot: slot) }
  }
}
