// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A terminal's alternate screen, without echo and without line buffering.
///
/// The terminal is restored when the process ends by `leave`, an exit, a signal or a trap. Only
/// SIGKILL leaves it unrestored.
enum TerminalScreen {
  /// The file descriptor of the terminal that keys are read from; -1 while the screen is not in
  /// use.
  private static let keys = Atomic<Int32>(-1)
  /// Written before ``keys`` is set, and read by the code that resets ``keys``.
  nonisolated(unsafe) private static var original = termios()

  // XTerm's private modes: the alternate screen, and the cursor.
  // See <https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>.
  private static let enterSequence: StaticString = "\u{1b}[?1049h\u{1b}[?25l"
  private static let leaveSequence: StaticString = "\u{1b}[?25h\u{1b}[?1049l"

  /// Switches standard output to the alternate screen.
  ///
  /// - Returns: false if it is not a terminal.
  static func enter(keys descriptor: Int32) -> Bool {
    guard tcgetattr(descriptor, &original) == 0 else { return false }
    atexit { TerminalScreen.leave() }
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] { leave(on: signal) }
    keys.store(descriptor, ordering: .sequentiallyConsistent)
    var raw = original
    // The keys for interrupt and suspend keep their effect.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(descriptor, TCSAFLUSH, &raw)
    put(enterSequence)
    return true
  }

  /// Restores the terminal; safe in a signal handler, and done once.
  static func leave() {
    let descriptor = keys.exchange(-1, ordering: .sequentiallyConsistent)
    guard descriptor >= 0 else { return }
    put(leaveSequence)
    tcsetattr(descriptor, TCSADRAIN, &original)
  }

  private static func put(_ sequence: StaticString) {
    _ = write(STDOUT_FILENO, sequence.utf8Start, sequence.utf8CodeUnitCount)
  }

  private static func leave(on signal: Int32) {
    var action = sigaction()
    // The signal is raised again, with its default effect, once the handler returns.
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    action.__sigaction_handler.sa_handler = { signal in
      TerminalScreen.leave()
      raise(signal)
    }
    sigaction(signal, &action, nil)
  }

  /// The terminal's current size; 80 × 24 if it is unknown.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Shows lines from the top, and clears the rest.
  static func show(_ lines: [String]) {
    var text = "\u{1b}[H"
    for (index, line) in lines.enumerated() {
      // No line feed after the last line, because it would scroll.
      text += line + "\u{1b}[K" + (index == lines.count - 1 ? "" : "\r\n")
    }
    Output.write(text + "\u{1b}[J", to: STDOUT_FILENO)
  }
}
