// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process of its own that cleans up after us if we are killed.
///
/// It waits on a socket with its other end in our process alone: we send a word if we end by
/// ourselves, and any other end closes the socket without one.
struct RecordingGuardian {
  private let socket: Int32

  /// Starts it; `nil` where the command is empty.
  init?(_ command: [String]) throws(RecordingError) {
    guard let program = command.first else { return nil }
    var ends: [Int32] = [-1, -1]
    // Closed on exec: the recorded program must not hold it after us.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw .commandNotStarted(program, code: errno)
    }
    defer { close(ends[0]) }
    let (_, code) = BackgroundProcess.spawn(command + ["\(getpid())"], input: ends[0])
    guard code == 0 else {
      close(ends[1])
      throw .commandNotStarted(program, code: code)
    }
    socket = ends[1]
  }

  /// The task of a guardian once its recorder has ended.
  enum Word: UInt8 {
    case nothing = 0x21
    /// The recorder does not wait for a daemon that ends, which takes most of a second.
    case endDaemon = 0x64
  }

  /// Sends the guardian its word.
  func dismiss(_ word: Word = .nothing) {
    var word = word.rawValue
    // It may be gone, and without the flag we would go as well.
    send(socket, &word, 1, Int32(MSG_NOSIGNAL))
    close(socket)
  }

  /// Waits until our recorder ends.
  ///
  /// - Returns: its word; nil if it was killed.
  static func wordOfRecorder() -> Word? {
    var word: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &word, 1)
      if count >= 0 || errno != EINTR { return count == 1 ? Word(rawValue: word) : nil }
    }
  }
}
