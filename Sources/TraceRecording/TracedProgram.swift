// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Runs the program of a recording in the foreground, and passes signals on to it.
///
/// Not through swift-subprocess: a signal that ends us must end the program first, and the
/// session after it.
enum TracedProgram {
  /// The program while it runs, for the signal handler; 0 otherwise.
  private static let running = Atomic<pid_t>(0)
  /// The last signal that came.
  private static let received = Atomic<Int32>(0)
  private static let lastExitCode = Atomic<Int32>(0)

  /// The exit code of the program that ended last; 0 if none has.
  static var exitCode: Int32 { lastExitCode.load(ordering: .relaxed) }

  /// For a program that we ended ourselves.
  static func discardExitCode() { lastExitCode.store(0, ordering: .relaxed) }

  /// From now on signals end the program, not us.
  ///
  /// One that is ignored, such as SIGHUP by `nohup`, stays ignored, also by the program.
  static func catchSignals() {
    for signal in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(signal) {
      var action = sigaction()
      action.sa_flags = SA_SIGINFO | SA_RESTART
      action.__sigaction_handler.sa_sigaction = { signal, info, _ in
        TracedProgram.received.store(signal, ordering: .relaxed)
        let pid = TracedProgram.running.load(ordering: .relaxed)
        // The terminal's own interrupt (SI_KERNEL) reaches the program without us.
        guard pid > 0, let info, info.pointee.si_code <= 0 else { return }
        kill(pid, signal)
      }
      // Cannot fail: these three may be caught.
      sigaction(signal, &action, nil)
    }
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    // Cannot fail, as below.
    sigaction(signal, nil, &action)
    // SIG_IGN is 1.
    return action.sa_flags & SA_SIGINFO == 0
      && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  static var wasInterrupted: Bool { received.load(ordering: .relaxed) != 0 }

  /// Checks that a program exists, before its recording is created.
  static func check(_ command: [String]) throws(RecordingError) {
    guard let program = command.first, !program.isEmpty else { throw .commandMissing("") }
    guard !program.contains("/") else {
      if access(program, F_OK) != 0 { throw .commandMissing(program) }
      return
    }
    guard ProgramPath.find(program) != nil else { throw .commandMissing(program) }
  }

  /// Where a program's standard output and error go.
  enum Output {
    case ours
    /// Output and errors go to our standard error; standard input is empty.
    case standardError
    /// Output and errors go to a file; standard input is empty.
    case file(String)
  }

  /// Runs a program to its end.
  static func run(
    _ command: [String], adding variables: [(String, String)]
  ) throws(RecordingError) -> Recording.Outcome {
    wait(for: try start(command, adding: variables))
  }

  /// Starts a program, which has the signals that come from now on.
  static func start(
    _ command: [String], adding variables: [(String, String)], output: Output = .ours
  ) throws(RecordingError) -> pid_t {
    for (name, value) in variables { setenv(name, value, 1) }
    guard let program = command.first else { throw .commandMissing("") }
    var arguments = command.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var pid = pid_t()
    // Swift's own threads block signals, and a mask is inherited: the program gets an empty one.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let file = try output.add(to: &actions)
    defer { if file >= 0 { close(file) } }
    let code = posix_spawnp(&pid, program, &actions, &attributes, &arguments, environ)
    guard code == 0 else {
      throw code == ENOENT ? .commandMissing(program) : .commandNotStarted(program, code: code)
    }
    running.store(pid, ordering: .relaxed)
    // A signal between the check before and this line is passed on here.
    let signal = received.load(ordering: .relaxed)
    if signal != 0 { kill(pid, signal) }
    return pid
  }

  static func wait(for pid: pid_t) -> Recording.Outcome {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return outcome(status)
  }

  /// How a program ended, or nil while it runs.
  static func outcomeIfEnded(_ pid: pid_t) -> Recording.Outcome? {
    var status: Int32 = 0
    return waitpid(pid, &status, WNOHANG) == pid ? outcome(status) : nil
  }

  private static func outcome(_ status: Int32) -> Recording.Outcome {
    running.store(0, ordering: .relaxed)
    let signal = status & 0x7f
    let outcome: Recording.Outcome =
      signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal)
    lastExitCode.store(outcome.exitCode, ordering: .relaxed)
    return outcome
  }
}

extension TracedProgram.Output {
  /// - Returns: the file that was opened for it, to be closed; -1 for none.
  fileprivate func add(
    to actions: inout posix_spawn_file_actions_t
  ) throws(RecordingError) -> Int32 {
    var file: Int32 = -1
    switch self {
    case .ours: return file
    case .standardError:
      posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    case .file(let path):
      // Here, since the spawn's error would not name the file that could not be opened.
      file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
      guard file >= 0 else { throw .outputUnusable(path, code: errno) }
      posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO)
      posix_spawn_file_actions_adddup2(&actions, file, STDERR_FILENO)
    }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    return file
  }
}
