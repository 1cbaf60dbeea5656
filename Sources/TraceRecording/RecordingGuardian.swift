// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process of its own that cleans up after us if we are killed.
///
/// It listens to a socket whose other end only we hold: we tell it if we end by ourselves, and
/// whatever else ends us closes the socket without a word.
struct RecordingGuardian {
  private let socket: Int32

  /// Starts it; `nil` where the command is empty.
  ///
  /// - Throws: ``RecordingError/commandNotStarted(_:code:)``.
  init?(_ command: [String]) throws(RecordingError) {
    guard let program = command.first else { return nil }
    var ends: [Int32] = [-1, -1]
    // Closed on exec: the recorded program must not hold it after us.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw .commandNotStarted(program, code: errno)
    }
    defer { close(ends[0]) }
    let code = Self.spawn(command + ["\(getpid())"], input: ends[0])
    guard code == 0 else {
      close(ends[1])
      throw .commandNotStarted(program, code: code)
    }
    socket = ends[1]
  }

  /// Tells it that nothing is left to clean up.
  func dismiss() {
    var word = UInt8(ascii: "!")
    // It may be gone, and without the flag we would go as well.
    send(socket, &word, 1, Int32(MSG_NOSIGNAL))
    close(socket)
  }

  /// Waits until the recorder whose guardian we are ends.
  ///
  /// - Returns: whether it did without a word.
  static func recorderFallsSilent() -> Bool {
    var word: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &word, 1)
      if count >= 0 || errno != EINTR { return count == 0 }
    }
  }

  /// `POSIX_SPAWN_SETSID`, which glibc hides unless `_GNU_SOURCE` is defined.
  private static let newSession: Int16 = 0x80

  /// In a session of its own, so that no signal of the terminal reaches it.
  private static func spawn(_ command: [String], input: Int32) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    for output in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | newSession)
    var arguments = command.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var pid = pid_t()
    return posix_spawn(&pid, command[0], &actions, &attributes, &arguments, environ)
  }
}
