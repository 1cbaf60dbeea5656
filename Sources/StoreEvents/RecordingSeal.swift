// SPDX-License-Identifier: Apache-2.0

/// The file that `trace-report record` writes into the folder of a complete trace: the program's
/// exit status, and a hash of the files.
///
///     { "check": "5a0c3e17bd2f4490", "exitCode": 0, "schemaVersion": 1 }
public struct RecordingSeal: Hashable, Sendable, Codable {
  public static let fileName = "recording.json"

  public var schemaVersion = 1
  /// The exit code of the program; nil if a signal ended it, or if its end was not seen.
  public var exitCode: Int32?
  /// The signal that ended the program.
  public var signal: Int32?
  /// The user's labels of the run, such as `version` and `host`; nil for none.
  public var labels: [String: String]?
  /// Processes that still ran when the recording ended, such as `python3[4711]`; nil if all had ended.
  public var leftRunning: [String]?
  /// Processes that LTTng did not fit into, such as `shop[4711]: the limit of open files …`; nil if none.
  public var untraced: [String]?
  /// The size at which the log of a recording ended, in bytes; nil if it did not.
  public var logLimit: Int64?
  /// A hash of the files of the trace, of how the program ended and of the labels.
  public var check: String

  /// Hashes the files of a trace; nil if one cannot be read.
  public init?(
    ofTrace folder: String, exitCode: Int32?, signal: Int32?, labels: [String: String]? = nil,
    leftRunning: [String]? = nil, untraced: [String]? = nil, logLimit: Int64? = nil
  ) {
    guard var hash = FolderHash.hash(of: folder, excluding: Self.fileName) else { return nil }
    hash.add("exitCode \(exitCode.map(String.init) ?? "") signal \(signal.map(String.init) ?? "")")
    for (name, value) in (labels ?? [:]).sorted(by: { $0.key < $1.key }) {
      hash.add("label \(name)")
      hash.add(value)
    }
    for process in leftRunning ?? [] { hash.add("left running \(process)") }
    for process in untraced ?? [] { hash.add("untraced \(process)") }
    if let logLimit { hash.add("log limit \(logLimit)") }
    self.labels = labels
    self.logLimit = logLimit
    self.untraced = untraced
    self.leftRunning = leftRunning
    self.exitCode = exitCode
    self.signal = signal
    check = hash.text
  }

  /// Whether the files of a trace are unchanged since the recording; nil if one cannot be read.
  public func fits(_ folder: String) -> Bool? {
    Self(
      ofTrace: folder, exitCode: exitCode, signal: signal, labels: labels, leftRunning: leftRunning,
      untraced: untraced, logLimit: logLimit
    ).map { $0 == self }
  }

  /// How the program failed, or nil if it did not.
  public var failure: String? {
    if let signal { return "the program was ended by signal \(signal)" }
    guard let exitCode, exitCode != 0 else { return nil }
    return "the program ended with code \(exitCode)"
  }
}

/// The file in a trace's folder that its recorder holds locked (`flock`) until the trace is whole.
public enum RecordingMark {
  public static let fileName = ".recording"

  /// Its content as long as the recording goes on, which a process that writes a log has mapped.
  public static let goesOn: StaticString = "1"
  /// Its content from the end of the logs on.
  public static let hasEnded: StaticString = "0"
}

/// The logs of one process in the folder of a recording, named by its id: `4711.log` of a store, and `4711-probe.log`
/// of the probe.
public enum RecordedLog {
  /// Returns the names of the logs of a process.
  public static func names(process: Int32) -> [String] { suffixes.map { "\(process)\($0)" } }

  /// Whether a file has such a name.
  public static func isName(_ name: some StringProtocol) -> Bool {
    suffixes.contains { suffix in
      name.hasSuffix(suffix) && Int32(name.dropLast(suffix.count)).map { $0 > 0 } == true
    }
  }

  private static let suffixes = [".log", "-probe.log"]
}
