// SPDX-License-Identifier: Apache-2.0

/// The copies of SQLite that a recording of a program would observe, and the missing requirements.
public struct ProgramDiagnosis: Hashable, Sendable {
  /// The file that would run: the interpreter instead of a script.
  public var program: String
  /// The process that runs it; nil for one that would be started.
  public var process: Int32?
  public var copies: [Copy] = []
  /// Whether the program is a runtime for programs that load a driver with a copy of SQLite later.
  public var loadsSQLiteLater = false
  /// The obstacles to observing statements; one sentence each.
  public var obstacles: [String] = []
  /// The conditions that make a report poorer, with advice.
  public var remarks: [String] = []

  /// A copy of SQLite.
  public struct Copy: Hashable, Sendable {
    /// The object file that contains it.
    public var path: String
    /// "" where it is known only when the program runs.
    public var version: String
    /// How the probe observes it: `got`, `extension`, `symbols` or `handle`; nil if it cannot.
    public var way: String?
    /// The reason why it cannot, or the condition; "" otherwise.
    public var reason: String
  }

  /// Whether a recording would have statements.
  public var isObservable: Bool {
    obstacles.isEmpty && (copies.contains { $0.way != nil } || copies.isEmpty && loadsSQLiteLater)
  }

  /// Adds the remark that the lines of a language are not found.
  mutating func addUnknownLines(of language: String) {
    remarks.append(
      "the lines of \(language) will not be known, but for those that comments in the SQL name")
  }
}
