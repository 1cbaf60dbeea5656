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
    } else if name == "env", let option = command.dropFirst().first(where: Self.clears) {
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
    "setsid",
    "stdbuf", "time", "xargs", "watch", "flock", "strace", "unshare", "nsenter", "setpriv",
    "chroot",
    "uv", "uvx", "cargo", "go", "tini", "dumb-init",
  ]
  private static let userChangers: Set = ["sudo", "doas", "su", "runuser", "pkexec"]
  private static let services: Set = [
    "systemd-run", "systemctl", "service", "docker", "podman", "nerdctl", "kubectl", "lxc",
    "machinectl",
    "ssh", "at", "batch", "screen", "tmux",
  ]

  /// Whether an argument of `env` removes all variables, or ours.
  private static func clears(_ argument: String) -> Bool {
    ["-", "-i", "--ignore-environment", "-uLD_PRELOAD", "--unset=LD_PRELOAD"].contains(argument)
  }
}
