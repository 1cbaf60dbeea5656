// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Glibc

/// A program that runs beside us in a session of its own, so that no signal of the terminal
/// reaches it.
public enum BackgroundProcess {
  /// `POSIX_SPAWN_SETSID`, which glibc hides unless `_GNU_SOURCE` is defined.
  private static let newSession: Int16 = 0x80

  /// Starts a program, which is looked for in `PATH`, with standard files alone.
  ///
  /// - Returns: its process id, and 0, or why it did not start: a number of `errno`.
  public static func spawn(
    _ command: [String], input: Int32? = nil, outputs: [Int32]? = nil,
    adding variables: [String: String] = [:]
  ) -> (pid: pid_t, code: Int32) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    for (index, output) in [STDOUT_FILENO, STDERR_FILENO].enumerated() {
      if let outputs {
        posix_spawn_file_actions_adddup2(&actions, outputs[index], output)
      } else {
        posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
      }
    }
    // A pipe that we inherited would not end before the program does.
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for file in files.compactMap(Int32.init) where file > STDERR_FILENO {
      posix_spawn_file_actions_addclose(&actions, file)
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
    var environment =
      ProcessInfo.processInfo.environment.merging(variables) { $1 }.map { strdup("\($0)=\($1)") }
      + [nil]
    defer { environment.forEach { free($0) } }
    var pid = pid_t()
    let code = posix_spawnp(&pid, command[0], &actions, &attributes, &arguments, &environment)
    return (pid, code)
  }
}
