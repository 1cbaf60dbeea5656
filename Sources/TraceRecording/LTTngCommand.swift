// SPDX-License-Identifier: Apache-2.0

import Glibc

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
  ///
  /// On this thread alone: a user may be permitted few, and the pool then waits for one without end.
  func run(
    _ program: String, _ arguments: [String], adding variables: [String: String] = [:]
  ) async throws -> Output {
    var words = [program] + arguments
    if let namespace { words = ["nsenter", "--mount=/proc/\(namespace)/ns/mnt"] + words }
    guard ProgramPath.find(words[0]) != nil else { throw RecordingError.toolMissing(words[0]) }
    var ends: [Int32] = [-1, -1]
    // Closed on exec, which pipe(2) is not.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw RecordingError.commandNotStarted(words[0], code: errno)
    }
    defer { close(ends[0]) }
    let (pid, code) = BackgroundProcess.spawn(
      words, outputs: [ends[1], ends[1]], adding: self.variables.merging(variables) { $1 })
    close(ends[1])
    guard code == 0 else { throw RecordingError.commandNotStarted(words[0], code: code) }
    let text = readText(from: ends[0])
    // And the programs that it started, which are in its session.
    if text == nil { kill(-pid, SIGKILL) }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    guard let text else {
      // `lttng --no-sessiond stop NAME`: the action is named, its options are not.
      let named = [program] + arguments.filter { !$0.hasPrefix("-") }.prefix(1)
      throw RecordingError.tracerHangs(command: named.joined(separator: " "), limit: limit)
    }
    return Output(isSuccess: status == 0, text: text)
  }

  private var variables: [String: String] {
    var variables: [String: String] = [:]
    variables["LTTNG_HOME"] = home
    variables["LD_PRELOAD"] = ProbeLibrary.preloadOfDaemons
    return variables
  }

  /// Reads up to the end; nil if that is later than the limit.
  private func readText(from file: Int32) -> String? {
    let end = ContinuousClock.now + limit
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let rest = (end - .now) / .milliseconds(1)
      guard rest > 0 else { return nil }
      var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, Int32(rest.rounded(.up))) > 0 else { continue }
      let count = read(file, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
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
    if let separator = line.firstRange(of: "]: ") { line = line[separator.upperBound...] }
    if let source = line.firstRange(of: " (in ") { line = line[..<source.lowerBound] }
    return line.trimming(prefix: "Error: ")
  }
}

extension Substring {
  fileprivate func trimming(prefix: String) -> String {
    String(hasPrefix(prefix) ? dropFirst(prefix.count) : self)
  }
}
