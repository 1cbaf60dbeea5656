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
  private var descriptor: CInt
  private var position: off_t = 0
  private(set) var generation = 0
  var mayGrow: Bool { true }

  init(_ path: String) throws(TraceReadingError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw .unreadable(path, reason: systemError()) }
  }

  deinit { close(descriptor) }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = readOn(into: buffer)
    guard count == 0, restarts() else { return count }
    generation += 1
    position = 0
    return readOn(into: buffer)
  }

  private func readOn(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = readAgain(descriptor, buffer)
    position += off_t(max(count, 0))
    return count
  }

  /// Whether the name leads to other bytes than those that were read; then they are open.
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
