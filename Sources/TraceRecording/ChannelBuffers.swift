// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The ring buffers of a channel: for each processor, so many pieces of so many bytes.
struct ChannelBuffers: Hashable {
  static let pieces = 8
  /// LTTng takes powers of two, and at least a page; less than this loses events at once.
  private static let smallest = 64 << 10
  /// At 1,000,000 events/s of 250 bytes, the reader is 0.1 s behind.
  ///
  /// LTTng writes all pages as the first program registers, so that more delays each recording.
  private static let usual = 4 << 20
  private static let largest = 8 << 20

  let pieceSize: Int

  /// Chooses the largest buffers that leave half of the shared memory free.
  init(processors: Int, sharedMemory: Int) throws(RecordingError) {
    var size = Self.usual
    while size > Self.smallest, size * Self.pieces * processors > sharedMemory / 2 { size /= 2 }
    let needed = size * Self.pieces * processors
    guard needed <= sharedMemory else {
      throw .sharedMemoryTooSmall(available: sharedMemory, needed: needed)
    }
    pieceSize = size
  }

  /// Takes that much memory for each processor, rounded up to a size that LTTng accepts.
  init(memory: Int) {
    var size = Self.smallest
    while size * Self.pieces < memory, size < Self.largest { size *= 2 }
    pieceSize = size
  }

  /// LTTng has buffers for each that could be there.
  static var processors: Int { max(sysconf(Int32(_SC_NPROCESSORS_CONF)), 1) }

  /// Chooses buffers for this machine as it is.
  static func forThisMachine() throws(RecordingError) -> ChannelBuffers {
    var status = statvfs()
    // Checked here, because a program that may not write there is silently not traced.
    guard access("/dev/shm", W_OK | X_OK) == 0, statvfs("/dev/shm", &status) == 0 else {
      throw .noPermission(reason: "/dev/shm: \(String(cString: strerror(errno)))")
    }
    return try ChannelBuffers(
      processors: processors,
      sharedMemory: Int(status.f_bavail) * Int(status.f_frsize))
  }
}
