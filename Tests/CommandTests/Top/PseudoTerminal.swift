// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A program on a terminal of its own; the test has its screen and keys.
final class PseudoTerminal {
  private(set) var screen: ScreenModel
  /// All that it wrote.
  private(set) var output: [UInt8] = []
  let process: pid_t
  private let main: Int32
  private let secondary: Int32

  struct Failure: Error { let step: String }

  /// `POSIX_SPAWN_SETSID`, which glibc hides unless `_GNU_SOURCE` is defined.
  private static let newSession: Int16 = 0x80

  /// `TIOCSPTLCK` and `TIOCGPTN`, which Swift does not see: they are made by macros.
  private static let unlock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  init(
    _ command: [String], environment: [String: String] = [:], columns: Int = 80, rows: Int = 24
  ) throws {
    // posix_openpt and related functions are hidden unless `_XOPEN_SOURCE` is defined; this is
    // their effect.
    main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (number, unlocked): (UInt32, Int32) = (0, 0)
    guard main >= 0, ioctl(main, Self.unlock, &unlocked) == 0,
      ioctl(main, Self.getNumber, &number) == 0
    else { throw Failure(step: "/dev/ptmx") }
    let path = "/dev/pts/\(number)"
    screen = ScreenModel(columns: columns, rows: rows)
    // Kept open, so that the program's output is not lost when it ends.
    secondary = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(main, UInt(TIOCSWINSZ), &size)
    // The first terminal that the leader of a session opens becomes its own.
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, path, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Self.newSession)
    let settings = ProcessInfo.processInfo.environment
      .filter { !["NO_COLOR", "COLUMNS"].contains($0.key) && !$0.key.hasPrefix("STORE_") }
      .merging(["TERM": "xterm-256color", "TZ": "UTC"]) { $1 }.merging(environment) { $1 }
    var variables = settings.map { strdup("\($0)=\($1)") } + [nil]
    var arguments = command.map { strdup($0) } + [nil]
    defer { (variables + arguments).forEach { free($0) } }
    var pid = pid_t()
    guard posix_spawn(&pid, command[0], &actions, &attributes, &arguments, &variables) == 0 else {
      throw Failure(step: "posix_spawn")
    }
    process = pid
  }

  deinit {
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, WNOHANG)
    close(main)
    close(secondary)
  }

  func press(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(main, bytes, bytes.count)
  }

  /// Makes the terminal larger or smaller; the kernel notifies the program.
  func resize(columns: Int, rows: Int) {
    screen.resize(columns: columns, rows: rows)
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(main, UInt(TIOCSWINSZ), &size)
  }

  /// Reads until the screen is as wanted; 30 s at most.
  func waits(for isWanted: (ScreenModel) -> Bool) async throws -> Bool {
    for _ in 1...1500 {
      readAvailable()
      if isWanted(screen) { return true }
      try await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  /// Waits until the program ends; 30 s at most.
  ///
  /// - Returns: its exit code, or 128 and the signal that ended it.
  func end() async throws -> Int32 {
    for _ in 1...1500 {
      readAvailable()
      var status: Int32 = 0
      if waitpid(process, &status, WNOHANG) == process {
        readAvailable()
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Failure(step: "the program did not end within 30 s")
  }

  /// Whether lines are edited and keys shown, as a shell expects its terminal.
  var isAsShellsWant: Bool {
    var settings = termios()
    guard tcgetattr(secondary, &settings) == 0 else { return false }
    let wanted = tcflag_t(ICANON | ECHO)
    return settings.c_lflag & wanted == wanted
  }

  private func readAvailable() {
    var question = pollfd(fd: main, events: Int16(POLLIN), revents: 0)
    var block = [UInt8](repeating: 0, count: 64 << 10)
    while poll(&question, 1, 0) > 0, question.revents & Int16(POLLIN) != 0 {
      let count = read(main, &block, block.count)
      guard count > 0 else { return }
      output += block[..<count]
      screen.take(block[..<count])
    }
  }
}
