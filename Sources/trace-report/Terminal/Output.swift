// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import StoreEvents
import TraceRendering

/// Standard output and standard error, and whether each is a terminal, a pipe or a file.
enum Output {
  /// Prints a part of the report.
  ///
  /// Exits with 1 if not all of it can be written.
  ///
  /// If the reader exits, as `head` does, the rest is dropped.
  static func print(_ text: String) {
    guard let error = write(text, to: STDOUT_FILENO), error != EPIPE else { return }
    complain("cannot write to standard output: \(SystemErrorText(error).sentence)")
    Glibc.exit(ExitStatus.failed.rawValue)
  }

  /// Prints a message of one line to standard error; names from data cannot move the cursor.
  static func complain(_ sentence: String) {
    let line = sentence.withVisibleControls.split(separator: "\n").joined(separator: "\\n")
    write("trace-report: \(line)\n", to: STDERR_FILENO)
  }

  /// Writes a text.
  ///
  /// - Returns: the system's error if not all of it was written.
  @discardableResult
  static func write(_ text: String, to descriptor: Int32) -> Int32? {
    var text = text
    return text.withUTF8 { bytes in
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(
          descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : EIO }
        written += count
      }
      return nil
    }
  }

  /// Writes a file atomically: a reader sees the old text or the new one.
  static func write(_ text: String, toFile path: String) throws {
    let file = try OutputFile(path)
    try file.write(text)
    try file.finish()
  }

  /// Whether a line can be overwritten: true on a terminal that is not dumb.
  static func canRewriteLines(_ descriptor: Int32) -> Bool {
    isTerminal(descriptor) && TextStyle.environment("TERM") != "dumb"
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}

extension TextStyle {
  /// Colours and width on a terminal, neither in a pipe; `NO_COLOR` and `COLUMNS` are respected.
  ///
  /// See <https://no-color.org>.
  static var ofStandardOutput: Self {
    let isTerminal = Output.isTerminal(STDOUT_FILENO)
    let noColor = environment("NO_COLOR").map { !$0.isEmpty } ?? false
    let isDumb = environment("TERM") == "dumb"
    return TextStyle(
      width: environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        ?? (isTerminal ? terminalWidth ?? 80 : nil),
      isColored: isTerminal && !noColor && !isDumb)
  }

  fileprivate static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static var terminalWidth: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
