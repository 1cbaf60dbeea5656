// SPDX-License-Identifier: Apache-2.0

/// A program that starts another one: a shell, `make`, `sudo`.
enum ProgramLauncher {
  /// The programs that it starts inherit the probe, and are looked at when they run.
  case passesOn(String)
  /// They do not get the probe.
  case removes(String)

  /// Nil for any other program.
  init?(_ command: [String]) {
    let name = command[0].split(separator: "/").last.map(String.init) ?? command[0]
    if Self.shells.contains(name) {
      self = .passesOn("a shell; its programs are looked at when they run")
    } else if name == "env", let option = Self.removal(in: command.dropFirst()) {
      self = .removes(
        "'env \(option)' removes the variables of the recording; put the recorder behind it: "
          + "env \(option) … trace-report record -o trace -- CMD")
    } else if Self.launchers.contains(name) {
      self = .passesOn("'\(name)' starts other programs, which are looked at when they run")
    } else if Self.userChangers.contains(name) {
      self = .removes(
        "'\(name)' starts its program without the variables of the recording; put the recorder "
          + "behind it: \(name) … trace-report record -o trace -- CMD")
    } else if Self.services.contains(name) {
      self = .removes(
        "'\(name)' lets another process start the program, with other variables; install "
          + "trace-report there and record there, or record the running process: trace-report attach PID"
      )
    } else {
      return nil
    }
  }

  private static let shells: Set = [
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "ash", "busybox",
  ]
  private static let launchers: Set = [
    "env", "make", "gmake", "ninja", "timeout", "nohup", "nice", "ionice", "chrt", "taskset",
    "setsid", "stdbuf", "time", "xargs", "parallel", "find", "watch", "flock", "script", "strace",
    "ltrace", "gdb", "perf", "hyperfine", "unshare", "nsenter", "setpriv", "setarch", "prlimit",
    "capsh", "chroot", "fakeroot", "faketime", "eatmydata", "dbus-run-session", "xvfb-run",
    "uv", "uvx", "cargo", "go", "swift", "mise", "direnv", "tini", "dumb-init", "catatonit",
  ]
  private static let userChangers: Set = ["sudo", "doas", "su", "runuser", "pkexec"]
  private static let services: Set = [
    "systemd-run", "systemctl", "service", "docker", "podman", "nerdctl", "kubectl", "lxc",
    "machinectl",
    "ssh", "at", "batch", "screen", "tmux",
  ]

  /// The argument of `env` that removes all variables, or ours; nil if there is none before its program.
  private static func removal(in arguments: ArraySlice<String>) -> String? {
    var words = arguments
    while let word = words.popFirst() {
      if ["-", "-i", "--ignore-environment", "-uLD_PRELOAD", "--unset=LD_PRELOAD"].contains(word)
        || word.hasPrefix("LD_PRELOAD=")
      {
        return word
      }
      if ["-u", "--unset", "-C", "--chdir"].contains(word) {
        if words.popFirst() == "LD_PRELOAD" { return "\(word) LD_PRELOAD" }
      } else if !word.hasPrefix("-"), !word.contains("=") {
        return nil
      }
    }
    return nil
  }
}
