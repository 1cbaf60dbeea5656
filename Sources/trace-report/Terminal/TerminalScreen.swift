// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A terminal's other screen, without echo and without waiting for the end of a line.
///
/// The terminal is as it was when this ends, however we end: by `leave`, by an exit, by a signal,
/// by a trap; only SIGKILL leaves it as it is.
enum TerminalScreen {
  /// The file descriptor of the terminal that keys are read from; -1 while the screen is not ours.
  private static let keys = Atomic<Int32>(-1)
  /// Written before ``keys`` is set, and read by the code that resets ``keys``.
  nonisolated(unsafe) private static var original = termios()

  // XTerm's private modes: the other screen, and the cursor.
  // See <https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>.
  private static let enterSequence: StaticString = "\u{1b}[?1049h\u{1b}[?25l"
  private static let leaveSequence: StaticString = "\u{1b}[?25h\u{1b}[?1049l"

  /// Takes the screen of standard output.
  ///
  /// - Parameter descriptor: the terminal that keys are read from.
  /// - Returns: false if it is no terminal.
  static func enter(keys descriptor: Int32) -> Bool {
    guard tcgetattr(descriptor, &original) == 0 else { return false }
    atexit { TerminalScreen.leave() }
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT] { leave(on: signal) }
    keys.store(descriptor, ordering: .sequentiallyConsistent)
    var raw = original
    // Interrupt and suspend keep their keys.
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
    // Raised again with its usual effect once the handler returns.
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
    action.__sigaction_handler.sa_handler = { signal in
      TerminalScreen.leave()
      raise(signal)
    }
    sigaction(signal, &action, nil)
  }

  /// The terminal's size as it is now; 80 × 24 where it is unknown.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Shows lines from the top, and wipes what was there.
  static func show(_ lines: [String]) {
    var text = "\u{1b}[H"
    for (index, line) in lines.enumerated() {
      // Without a line feed after the last one, which would scroll.
      text += line + "\u{1b}[K" + (index == lines.count - 1 ? "" : "\r\n")
    }
    Output.write(text + "\u{1b}[J", to: STDOUT_FILENO)
  }
}
