// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process that removes a folder when this one ends in any way, by `SIGKILL` for example.
///
/// Its standard input is a pipe, which has an end only when this process has none.
struct FolderGuard {
  private var pid: pid_t = 0
  private var pipe: Int32 = -1

  init(of folder: String) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    for output in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A terminal's signals are for the group of this process.
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let script = "trap '' INT TERM HUP; read -r _; rm -rf -- \"$1\""
    let words = ["sh", "-c", script, "sh", folder]
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var environment: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=/usr/bin:/bin"), nil]
    defer { environment.forEach { free($0) } }
    guard posix_spawn(&pid, "/bin/sh", &actions, &attributes, &arguments, &environment) == 0 else {
      pid = 0
      close(ends[1])
      return
    }
    pipe = ends[1]
  }

  /// Ends the process, whose folder is gone.
  func end() {
    guard pid > 0 else { return }
    close(pipe)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
  }
}
