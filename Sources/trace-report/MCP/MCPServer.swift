// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents
import TraceRendering

/// A server of the Model Context Protocol on standard input and output: a message of JSON-RPC 2.0 in each line.
///
/// Nothing that a client sends ends it but the end of its input.
///
/// See <https://modelcontextprotocol.io/specification/2025-11-25>.
struct MCPServer {
  /// The versions with the same messages for tools, the newest first.
  private static let versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
  // A call has paths and numbers; 4 is arbitrary.
  private static let maxLine = 1 << 20
  private static let maxRunning = 4

  private var line: [UInt8] = []
  private var isSkipping = false
  private var hasInput = true
  private var calls: [MCPCall] = []
  private var batches: [Batch] = []

  /// The answers to the messages of one line, which are sent together: version 2025-03-26 has batches.
  private struct Batch {
    var waiting: [JSONValue]
    var answers: [JSONValue] = []
    var isWhole = false
  }

  /// Answers until the input ends and all calls are answered, or until a signal.
  mutating func run() {
    Signals.catchEnding()
    signal(SIGPIPE, SIG_IGN)
    while Signals.end == nil {
      let running = calls.flatMap(\.descriptors)
      guard hasInput || !running.isEmpty else { return }
      var polled = ((hasInput ? [STDIN_FILENO] : []) + running).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      // A second: a signal may come just before the wait.
      guard poll(&polled, nfds_t(polled.count), 1000) > 0 else { continue }
      for descriptor in polled where descriptor.revents != 0 {
        if descriptor.fd == STDIN_FILENO {
          readInput()
        } else if let call = calls.first(where: { $0.descriptors.contains(descriptor.fd) }) {
          call.read(descriptor.fd)
          if !call.isRunning { finish(call) }
        }
      }
    }
    for call in calls { call.cancel() }
  }

  // MARK: - Lines

  private mutating func readInput() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      hasInput = false
      return endLine()
    }
    for part in buffer[..<count].split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    ).enumerated() {
      if part.offset > 0 { endLine() }
      isSkipping = isSkipping || line.count + part.element.count > Self.maxLine
      if isSkipping { line = [] } else { line += part.element }
    }
  }

  private mutating func endLine() {
    defer { (line, isSkipping) = ([], false) }
    if isSkipping { return answer(.null, error: -32700, "the line is longer than 1 MiB") }
    guard line.contains(where: { !" \t\r".utf8.contains($0) }) else { return }
    guard let message = try? JSONValue(line) else {
      return answer(.null, error: -32700, "the line is not JSON")
    }
    guard case .array(let messages) = message, !messages.isEmpty else { return receive(message) }
    batches.append(
      Batch(waiting: messages.compactMap { $0["method"] == nil ? nil : $0["id"] }))
    for message in messages { receive(message) }
    batches[batches.count - 1].isWhole = true
    sendBatches()
  }

  // MARK: - Messages

  private mutating func receive(_ message: JSONValue) {
    guard case .object(let members) = message, members["jsonrpc"] == "2.0" else {
      return answer(
        .null, error: -32600, "a message is an object with \"jsonrpc\": \"2.0\"")
    }
    guard let method = members["method"]?.string else {
      // A response: the server sends no requests.
      guard members["result"] == nil, members["error"] == nil else { return }
      return answer(members["id"] ?? .null, error: -32600, "the message has no method")
    }
    guard let id = members["id"] else { return notice(method, members["params"]) }
    switch id {
    case .string, .integer: request(method, members["params"], id)
    default: answer(.null, error: -32600, "an id is a text or a whole number")
    }
  }

  private mutating func notice(_ method: String, _ params: JSONValue?) {
    guard method == "notifications/cancelled", let id = params?["requestId"] else { return }
    calls.removeAll { call in
      guard call.id == id else { return false }
      call.cancel()
      return true
    }
    for batch in batches.indices { batches[batch].waiting.removeAll { $0 == id } }
    sendBatches()
    startWaiting()
  }

  private mutating func request(_ method: String, _ params: JSONValue?, _ id: JSONValue) {
    switch method {
    case "initialize": answer(id, result: Self.greeting(params?["protocolVersion"]?.string))
    case "ping": answer(id, result: [:])
    case "tools/list":
      answer(id, result: ["tools": .array(MCPTool.all.map(\.json))])
    case "tools/call": call(params, id)
    default: answer(id, error: -32601, "no method '\(LogText.escaped(method))'")
    }
  }

  /// The client's version if the server has it, otherwise the newest one.
  private static func greeting(_ version: String?) -> JSONValue {
    [
      "protocolVersion": .string(
        version.flatMap { versions.contains($0) ? $0 : nil } ?? versions[0]),
      "capabilities": ["tools": [:]],
      "serverInfo": [
        "name": "trace-report", "title": "StoreScope", "version": .string(Version.current),
      ],
      "instructions": """
      Record a program with 'trace-report record -o DIR -- COMMAND', then call findings. After a fix, record the same \
      work again and call prove.
      """,
    ]
  }

  private mutating func call(_ params: JSONValue?, _ id: JSONValue) {
    guard let name = params?["name"]?.string,
      let tool = MCPTool.all.first(where: { $0.name == name })
    else {
      let names = MCPTool.all.map(\.name).joined(separator: ", ")
      return answer(id, error: -32602, "no such tool; there are \(names)")
    }
    do {
      calls.append(MCPCall(id: id, words: try tool.words(params?["arguments"])))
      startWaiting()
    } catch {
      // The specification wants this as a result, which a model reads.
      answer(id, result: MCPCall.failure(error.sentence))
    }
  }

  // MARK: - Calls

  private mutating func startWaiting() {
    for call in calls where !call.isRunning {
      guard calls.count(where: \.isRunning) < Self.maxRunning else { return }
      guard let reason = call.start() else { continue }
      calls.removeAll { $0 === call }
      answer(call.id, result: MCPCall.failure(reason))
    }
  }

  private mutating func finish(_ call: MCPCall) {
    calls.removeAll { $0 === call }
    answer(call.id, result: call.result())
    startWaiting()
  }

  // MARK: - Answers

  private mutating func answer(_ id: JSONValue, result: JSONValue) {
    send(["jsonrpc": "2.0", "id": id, "result": result])
  }

  private mutating func answer(_ id: JSONValue, error code: Int64, _ sentence: String) {
    send([
      "jsonrpc": "2.0", "id": id,
      "error": ["code": .integer(code), "message": .string(sentence)],
    ])
  }

  private mutating func send(_ message: JSONValue) {
    let id = message["id"] ?? .null
    // An error without an id belongs to the batch that is being read.
    let batch = batches.firstIndex { $0.waiting.contains(id) || id == .null && !$0.isWhole }
    guard let batch else { return write(message) }
    batches[batch].waiting.firstIndex(of: id).map { _ = batches[batch].waiting.remove(at: $0) }
    batches[batch].answers.append(message)
    sendBatches()
  }

  /// Sends the batches with answers to all their messages.
  private mutating func sendBatches() {
    let complete = batches.filter { $0.isWhole && $0.waiting.isEmpty }
    batches.removeAll { $0.isWhole && $0.waiting.isEmpty }
    for batch in complete where !batch.answers.isEmpty { write(.array(batch.answers)) }
  }

  private func write(_ message: JSONValue) {
    guard let text = try? JSONText.line(message) else { return }
    Output.print(text)
  }
}
