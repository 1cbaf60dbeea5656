// SPDX-License-Identifier: Apache-2.0

import Glibc
import Subprocess

/// Runs LTTng's programs; their output is kept for the error message.
struct LTTngCommand {
  /// `LTTNG_HOME`, where a daemon of ours is meant; otherwise the user's own.
  var home: String?
  /// A daemon in the mount namespace that the programs run in; nil for our own namespace.
  var namespace: pid_t?
  /// Whether each process of root's program waits for another daemon as well, which hangs.
  var isBesideHanging = false
  /// How long a program may take.
  ///
  /// LTTng's daemons wait without end for each other, and for a disk that is full. The events in a
  /// session's memory are written within this time.
  var limit = Self.limit
  static let limit = Duration.seconds(180)

  struct Output {
    var isSuccess: Bool
    var text: String
  }

  /// Runs `lttng`, without starting a daemon by the way.
  func lttng(_ arguments: String...) async throws { try await lttng(arguments) }

  /// Runs `lttng`, without starting a daemon by the way.
  func lttng(_ arguments: [String]) async throws {
    let output = try await run("lttng", ["--no-sessiond"] + arguments)
    guard !output.isSuccess else { return }
    if let refusal = output.refusal { throw RecordingError.noPermission(reason: refusal) }
    throw RecordingError.tracerFailed(command: "lttng \(arguments[0])", reason: output.lastLine)
  }

  /// Runs a program apart from the terminal: an interrupt is for us to pass on.
  func run(
    _ program: String, _ arguments: [String], adding variables: [String: String] = [:]
  ) async throws -> Output {
    try await withThrowingTaskGroup(of: Output?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await start(program, arguments, adding: variables) }
      group.addTask {
        try await Task.sleep(for: limit)
        return nil
      }
      guard let output = try await group.next() ?? nil else {
        // `lttng --no-sessiond stop NAME`: the action is named, its options are not.
        let words = [program] + arguments.filter { !$0.hasPrefix("-") }.prefix(1)
        throw RecordingError.tracerHangs(command: words.joined(separator: " "), limit: limit)
      }
      return output
    }
  }

  /// A path of the package System, which Subprocess imports and we do not.
  private static func filePath<Path: ExpressibleByStringLiteral>(_ path: String) -> Path
  where Path.StringLiteralType == String { Path(stringLiteral: path) }

  private func start(
    _ program: String, _ arguments: [String], adding variables: [String: String]
  ) async throws -> Output {
    var environment = Environment.inherit
    for (name, value) in variables {
      environment = environment.updating([Environment.Key(stringLiteral: name): value])
    }
    if let home { environment = environment.updating(["LTTNG_HOME": home]) }
    var options = PlatformOptions()
    options.createSession = true
    var (program, arguments) = (program, arguments)
    if let namespace {
      (program, arguments) = (
        "nsenter", ["--mount=/proc/\(namespace)/ns/mnt", program] + arguments
      )
    }
    // By a name, each folder of PATH would be tried with a process of its own.
    guard let path = ProgramPath.find(program) else { throw RecordingError.toolMissing(program) }
    do {
      let result = try await Subprocess.run(
        .path(Self.filePath(path)), arguments: Arguments(arguments), environment: environment,
        platformOptions: options, output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
      return Output(
        isSuccess: result.terminationStatus.isSuccess,
        text: result.standardOutput + result.standardError)
    } catch let error as SubprocessError where error.code == .executableNotFound {
      throw RecordingError.toolMissing(program)
    }
  }
}

extension LTTngCommand.Output {
  /// LTTng prints the cause last.
  var lastLine: String {
    text.split(separator: "\n").last.map { $0.trimming(prefix: "Error: ") } ?? "no reason given"
  }

  /// The permission that was refused; after that LTTng may go on and guess, wrongly, at another
  /// reason.
  var refusal: String? {
    guard var line = text.split(separator: "\n").first(where: { $0.contains("ermission") })
    else { return nil }
    // `PERROR - 05:00:23.541466502 [Main]: open …: Permission denied (in create() at utils.c:284)`
    if let place = line.firstRange(of: "]: ") { line = line[place.upperBound...] }
    if let source = line.firstRange(of: " (in ") { line = line[..<source.lowerBound] }
    return line.trimming(prefix: "Error: ")
  }
}

extension Substring {
  fileprivate func trimming(prefix: String) -> String {
    String(hasPrefix(prefix) ? dropFirst(prefix.count) : self)
  }
}
