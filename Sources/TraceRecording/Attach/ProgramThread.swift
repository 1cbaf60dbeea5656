// SPDX-License-Identifier: Apache-2.0

/// A thread of a running Python program, and where it is.
public struct ProgramThread: Hashable, Sendable {
  /// The kernel's number of the thread; 0 if it is unknown.
  public var id: Int64
  public var name: String
  /// The program's line: `app.py:20`.
  public var line: String
  public var function: String
  /// The innermost line, which may be a library's.
  public var innermostLine: String
  public var innermostFunction: String
  /// The library whose pool of connections it waits for; nil if it waits for none.
  public var pool: String?

  /// Reads a line of the probe's.
  ///
  ///     thread␉4713␉Thread-1␉app.py:20␉handle␉/usr/lib/python3.11/threading.py:331␉wait␉SQLAlchemy
  init?(_ text: Substring) {
    let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 8, fields[0] == "thread", let id = Int64(fields[1]) else { return nil }
    self.id = id
    (name, line, function) = (fields[2], fields[3], fields[4])
    (innermostLine, innermostFunction) = (fields[5], fields[6])
    pool = fields[7].isEmpty ? nil : fields[7]
  }
}
