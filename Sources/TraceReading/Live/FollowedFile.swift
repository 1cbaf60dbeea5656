// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that is still written to, followed by its name as `tail -F` does.
///
///     debug.log grows ── is renamed to debug.log.1 ── a new debug.log appears: read from its start
///                     └─ is emptied in place (copytruncate): read from its start
///
/// While the name does not exist, the old file is read.
final class FollowedFile: ByteSource {
  private let path: String
  private let isOurs: Bool
  private var descriptor: CInt
  private var position: off_t = 0
  private var discarded: off_t = 0
  private(set) var generation = 0
  var mayGrow: Bool { true }

  // 1 MiB is arbitrary: some 1,500 statements.
  private static let discardedAtOnce: off_t = 1 << 20

  /// - Parameter isOurs: whether to discard the bytes that were read, so that a long log takes no
  ///   space.
  init(_ path: String, isOurs: Bool) throws(TraceReadingError) {
    self.path = path
    self.isOurs = isOurs
    descriptor = open(path, (isOurs ? O_RDWR : O_RDONLY) | O_CLOEXEC)
    if descriptor < 0 { throw .unreadable(path, reason: systemError()) }
  }

  deinit { close(descriptor) }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = readOn(into: buffer)
    guard count == 0, restarts() else { return count }
    generation += 1
    (position, discarded) = (0, 0)
    return readOn(into: buffer)
  }

  private func readOn(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = readAgain(descriptor, buffer)
    position += off_t(max(count, 0))
    if isOurs, position - discarded >= Self.discardedAtOnce { discard() }
    return count
  }

  /// Releases the blocks before the position; the file keeps its size, and its writer appends.
  private func discard() {
    let end = position & ~(Self.discardedAtOnce - 1)
    // fallocate(2) is hidden unless _GNU_SOURCE is defined; this punches the same hole. A file system
    // without holes keeps the bytes until the end.
    let bytes = mmap(
      nil, Int(end - discarded), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, discarded)
    if let bytes, bytes != MAP_FAILED {
      madvise(bytes, Int(end - discarded), MADV_REMOVE)
      munmap(bytes, Int(end - discarded))
    }
    discarded = end
  }

  /// Whether the file was emptied or replaced; the new file is then open.
  private func restarts() -> Bool {
    var (own, named) = (stat(), stat())
    guard fstat(descriptor, &own) == 0 else { return false }
    if own.st_size < position { return lseek(descriptor, 0, SEEK_SET) == 0 }
    guard stat(path, &named) == 0, named.st_mode & S_IFMT == S_IFREG,
      named.st_ino != own.st_ino || named.st_dev != own.st_dev
    else { return false }
    let new = open(path, O_RDONLY | O_CLOEXEC)
    guard new >= 0 else { return false }
    close(descriptor)
    descriptor = new
    return true
  }
}

/// A pipe that is polled before it is read, so that no read waits for its writer.
final class PolledPipe: ByteSource {
  private let descriptor: CInt
  private(set) var mayGrow = true

  /// Opens a pipe by its name, or standard input for `-`.
  init(_ path: String) throws(TraceReadingError) {
    descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw .unreadable(path, reason: systemError()) }
  }

  deinit { close(descriptor) }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&question, 1, 0) > 0 else { return 0 }
    let count = readAgain(descriptor, buffer)
    if count == 0 { mayGrow = false }
    return count
  }
}

/// `read(2)`, again after a signal.
private func readAgain(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  while true {
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    if count >= 0 || errno != EINTR { return count }
  }
}

/// The source of the bytes of a log.
protocol ByteSource: AnyObject {
  /// Reads as many bytes as there are, up to the buffer's size.
  ///
  /// - Returns: 0 if there are no bytes now; less than 0 on an error, which is in `errno`.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

  /// Whether bytes may still come after a read that returned none.
  var mayGrow: Bool { get }
  /// Raised when the bytes start again: another file's, or after the file was emptied.
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
