// SPDX-License-Identifier: Apache-2.0

/// The source of the bytes of a log.
protocol ByteSource: AnyObject {
  /// Reads as many bytes as there are, up to the buffer's size.
  ///
  /// - Returns: 0 if there are no bytes now; less than 0 on an error, which is in `errno`.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

  /// Whether bytes may still come after a read that returned none.
  var mayGrow: Bool { get }
  /// Raised when the bytes begin again: those of another file, or of one that was emptied.
  var generation: Int { get }
  /// The number of bytes; nil if it is unknown.
  var byteCount: Int? { get }
}

extension ByteSource {
  var mayGrow: Bool { false }
  var generation: Int { 0 }
  var byteCount: Int? { nil }
}

extension FileDescriptor: ByteSource {}
