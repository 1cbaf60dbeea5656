// SPDX-License-Identifier: Apache-2.0

/// Up to fifteen bytes in two numbers, to be compared and hashed without a call.
struct ShortText: Equatable {
  static let longest = 15

  private let head: UInt64
  private let tail: UInt64
  private let count: Int

  /// - Parameter bytes: no more than ``longest``.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    count = bytes.count
    guard let base = bytes.baseAddress, count > 0 else {
      (head, tail) = (0, 0)
      return
    }
    // The two halves overlap, which distinguishes no less among texts of one length.
    if count >= 8 {
      head = base.loadUnaligned(as: UInt64.self)
      tail = base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    } else if count >= 4 {
      head = UInt64(base.loadUnaligned(as: UInt32.self))
      tail = UInt64(base.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    } else {
      head = UInt64(base.load(as: UInt8.self)) | UInt64(bytes[count / 2]) << 8
      tail = UInt64(bytes[count - 1])
    }
  }

  /// A slot of a table with as many slots as a power of two.
  @inline(__always)
  func slot(of slotCount: Int) -> Int {
    var hash = (head ^ UInt64(truncatingIfNeeded: count) << 56) &* 0x9e37_79b9_7f4a_7c15
    hash = (hash ^ hash >> 32 ^ tail) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: hash >> 40) & (slotCount - 1)
  }
}
