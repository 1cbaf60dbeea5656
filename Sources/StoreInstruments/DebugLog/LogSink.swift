// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A descriptor that accepts a line whole or not at all, and never blocks the caller for long.
///
/// Never raises SIGPIPE. What began to go out is finished before anything else is written.
struct LogSink {
  /// How long a reader may let us wait, in ms; once it has, not at all until it reads again.
  private static let patience: Int32 = 100

  private let descriptor: Int32
  /// A pipe, a socket or a terminal: it can be full, and its reader can go.
  private let isStream: Bool
  /// Whether the file had a name when it was opened, which it may lose.
  private let hadName: Bool
  private var bytesUntilCheck = 0
  /// The rest of a line that went out in part.
  private var unsent: [UInt8] = []
  /// Lines lost since the last one that went through.
  private(set) var lost = 0

  init(descriptor: Int32) {
    self.descriptor = descriptor
    var status = stat()
    let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    isStream = !isRegular
    hadName = isRegular && status.st_nlink > 0
  }

  /// Writes lines that belong together; one call of `write(2)` where the descriptor allows it.
  mutating func write(_ bytes: UnsafeRawBufferPointer, lines: Int) {
    if !unsent.isEmpty {
      let sent = unsent.withUnsafeBytes { send($0) }
      unsent.removeFirst(sent)
      guard unsent.isEmpty else { return lost += lines }
    }
    let sent = send(bytes)
    if sent == 0 {
      lost += lines
    } else {
      lost = 0
      keep(bytes[sent...])
    }
  }

  /// Keeps the rest of a torn line, and counts the lines behind it as lost.
  private mutating func keep(_ left: Slice<UnsafeRawBufferPointer>) {
    guard let end = left.firstIndex(of: UInt8(ascii: "\n")) else { return }
    unsent = Array(left[...end])
    lost = left[(end + 1)...].count { $0 == UInt8(ascii: "\n") }
  }

  /// Sends what the descriptor takes, and returns how many bytes that was.
  private mutating func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let start = bytes.baseAddress, !wasDeleted(before: bytes.count) else { return 0 }
    return isStream
      ? withoutPipeSignal { sendToStream(bytes, start) } : sendToFile(start, bytes.count)
  }

  // 1 MiB is arbitrary: a call for each line would take a tenth of its time.
  private static let bytesBetweenChecks = 1 << 20

  /// Whether the file lost its name: it has no reader, and takes no more of the disk.
  private mutating func wasDeleted(before count: Int) -> Bool {
    guard hadName else { return false }
    bytesUntilCheck -= count
    guard bytesUntilCheck < 0 else { return false }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_nlink == 0 else {
      bytesUntilCheck = Self.bytesBetweenChecks
      return false
    }
    return true
  }

  private func sendToFile(_ start: UnsafeRawPointer, _ length: Int) -> Int {
    var sent = 0
    while sent < length {
      let count = Glibc.write(descriptor, start + sent, length - sent)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      sent += count
    }
    return sent
  }

  /// A pipe that is ready takes `PIPE_BUF` bytes at once without making anyone wait.
  private func sendToStream(_ bytes: UnsafeRawBufferPointer, _ start: UnsafeRawPointer) -> Int {
    var sent = 0
    while sent < bytes.count, isReady() {
      let chunk = bytes[sent...].prefixOfLines(upTo: Int(PIPE_BUF))
      let count = Glibc.write(descriptor, start + sent, chunk.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { break }
      sent += count
    }
    return sent
  }

  private func isReady() -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    let patience = lost > 0 || !unsent.isEmpty ? 0 : Self.patience
    // A signal ends the wait early: the line counts as lost rather than waiting again.
    guard poll(&request, 1, patience) == 1 else { return false }
    return request.revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0
  }

  /// Runs a write with SIGPIPE blocked, and takes back the one it may have raised.
  private func withoutPipeSignal<R>(_ body: () -> R) -> R {
    var pipe = sigset_t()
    var old = sigset_t()
    var pending = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    sigpending(&pending)
    pthread_sigmask(SIG_BLOCK, &pipe, &old)
    defer {
      if sigismember(&pending, SIGPIPE) == 0 {
        var now = timespec()
        sigtimedwait(&pipe, nil, &now)
      }
      pthread_sigmask(SIG_SETMASK, &old, nil)
    }
    return body()
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// As many whole lines as fit into so many bytes, or that many bytes of one longer line.
  fileprivate func prefixOfLines(upTo limit: Int) -> Self {
    let prefix = prefix(limit)
    guard prefix.count < count, let end = prefix.lastIndex(of: UInt8(ascii: "\n")) else {
      return prefix
    }
    return prefix[...end]
  }
}
