// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents
import TraceRecording
import TraceRendering

/// A call of a tool: a run of this program.
final class MCPCall {
  let id: JSONValue
  private let words: [String]
  private var pid: pid_t = 0
  /// The ends of the pipes that are read.
  private var pipes: Set<Int32> = []
  private var output: Int32 = -1
  private var errorOutput: Int32 = -1
  private var texts: [Int32: [UInt8]] = [:]
  private var isTooLong = false

  // More than any report within a budget, and less than the memory of the host.
  private static let maxBytes = 64 << 20

  init(id: JSONValue, words: [String]) { (self.id, self.words) = (id, words) }

  var isRunning: Bool { !pipes.isEmpty }
  var descriptors: [Int32] { Array(pipes) }

  /// Starts the run, in a session of its own and without standard input.
  ///
  /// - Returns: the reason why it cannot be started; nil if it runs.
  func start() -> String? {
    var ends: [[Int32]] = []
    defer { ends.forEach { close($0[1]) } }
    for _ in 0..<2 {
      var pair: [Int32] = [-1, -1]
      guard pipe(&pair) == 0 else {
        let reason = "no pipe: \(SystemErrorText(errno).sentence)"
        ends.forEach { close($0[0]) }
        return reason
      }
      for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      ends.append(pair)
    }
    let command = ["/proc/self/exe"] + words
    let (pid, code) = BackgroundProcess.spawn(command, outputs: ends.map { $0[1] })
    self.pid = pid
    guard code == 0 else {
      ends.forEach { close($0[0]) }
      return "not started: \(SystemErrorText(code).sentence)"
    }
    (output, errorOutput) = (ends[0][0], ends[1][0])
    pipes = [output, errorOutput]
    return nil
  }

  /// Reads the available bytes.
  func read(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR { return }
    if count > 0, texts[descriptor, default: []].count + count <= Self.maxBytes {
      texts[descriptor, default: []] += buffer[..<count]
      return
    }
    if count > 0 {
      isTooLong = true
      kill(-pid, SIGKILL)
    }
    close(descriptor)
    pipes.remove(descriptor)
  }

  /// Ends the run early.
  func cancel() {
    guard isRunning else { return }
    kill(-pid, SIGKILL)
    for descriptor in descriptors { close(descriptor) }
    pipes = []
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
  }

  /// The result of the tool, once the run has closed its output.
  func result() -> JSONValue {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    let complaint = String(decoding: texts[errorOutput] ?? [], as: UTF8.self)
      .trimmingSuffix(while: \.isNewline)
    let value = isTooLong ? nil : try? JSONValue(texts[output] ?? [])
    guard let value, case .object = value, let text = try? JSONText.line(value) else {
      let reason = isTooLong ? "the report is too long" : String(complaint)
      return Self.failure("exit code \(code)\(reason.isEmpty ? "" : ": \(reason)")")
    }
    // The exit code is the verdict: 0, 2 or 3.
    let exit = "exit code \(code)\(complaint.isEmpty ? "" : ": \(complaint)")"
    let words = [text.trimmingSuffix(while: \.isNewline), exit[...]]
    return [
      "content": .array(words.map { ["type": "text", "text": .string(String($0))] }),
      "structuredContent": value, "isError": false, "_meta": ["exitCode": .integer(Int64(code))],
    ]
  }

  /// The result of a call that has no report.
  static func failure(_ sentence: String) -> JSONValue {
    ["content": [["type": "text", "text": .string(sentence)]], "isError": true]
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> SubSequence {
    var text = self[...]
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}
