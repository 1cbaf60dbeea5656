// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// `mcp`: the messages of the Model Context Protocol, and their restrictions.
@Suite struct MCPCommandTests {
  private let tool = BuiltTool("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  /// A message of the server.
  private struct Answer: Decodable {
    struct Failure: Decodable { var code: Int }
    struct Result: Decodable {
      var protocolVersion: String?
      var isError: Bool?
      var content: [[String: String]]?
      var tools: [JSONValue]?
      var structuredContent: JSONValue?
    }
    var id: JSONValue?
    var result: Result?
    var error: Failure?
  }

  /// The answers to lines, in the order of their ids.
  private func answers(_ lines: [String]) async throws -> [Answer] {
    let run = try await tool.run(["mcp"], input: lines.joined(separator: "\n"))
    #expect(run.status == 0, "\(run.errorOutput)")
    return try run.output.split(separator: "\n").map {
      try JSONDecoder().decode(Answer.self, from: Data($0.utf8))
    }
  }

  private static func call(_ id: Int, _ name: String, _ arguments: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(name)","arguments":\#(arguments)}}"#
  }

  private static let ping = #"{"jsonrpc":"2.0","id":"last","method":"ping"}"#

  private func log() throws -> String {
    let path = folder.path("a.log")
    let run = RunBuilder {
      $0.connect(path: folder.path("app.db"))
      $0.caller(1, line: 7)
      for _ in 0..<30 {
        $0.run(
          "SELECT a FROM book WHERE b = 'marked'", caller: 1, rows: 1, step: 2_000_000,
          vmSteps: 30_000, fullScanSteps: 9000)
      }
      $0.disconnect(1)
      $0.close()
    }
    try run.log.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test(arguments: [
    ("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"),
    ("1999-01-01", "2025-11-25"),
  ])
  func theVersionIsTheClientsWhereTheServerHasIt(_ asked: String, _ answered: String) async throws {
    let request =
      #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"\#(asked)","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#
    let answers = try await answers([
      request, #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    ])
    #expect(answers.count == 1)
    #expect(answers.first?.result?.protocolVersion == answered)
  }

  @Test func malformedMessagesAreAnsweredAndEndNothing() async throws {
    let bad: [(line: String, code: Int)] = [
      ("{", -32700), ("not JSON", -32700), ("\u{0}\u{1}", -32700), ("\"text\"", -32600),
      ("[]", -32600),
      ("{}", -32600), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1}"#, -32600), (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
      (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/drop"}"#, -32601),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602),
      (Self.call(1, "execute", #"{"sql":"DROP TABLE book"}"#), -32602),
      (String(repeating: "[", count: 100_000), -32700),
      (#"{"jsonrpc":"2.0","id":1,"x":""# + String(repeating: "x", count: 2 << 20) + "\"}", -32700),
    ]
    let answers = try await answers(bad.map(\.line) + ["", "  ", Self.ping])
    #expect(answers.dropLast().map { $0.error?.code } == bad.map(\.code))
    #expect(answers.last?.id == .string("last") && answers.last?.result != nil)
  }

  @Test func aBatchHasOneLineOfAnswers() async throws {
    let path = try log()
    let ping = Self.ping.replacing("last", with: "first")
    let batch =
      "[\(ping),7,{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"},"
      + Self.call(2, "findings", #"{"input":"\#(path)"}"#) + "]"
    let run = try await tool.run(
      ["mcp"],
      input: [batch, Self.ping, "[\(ping.replacing("\"id\":\"first\",", with: ""))]"]
        .joined(separator: "\n"))
    let lines = try run.output.split(separator: "\n").map { try JSONValue(text: String($0)) }
    #expect(lines.count == 2)
    let answers = lines.compactMap { line -> [Answer]? in
      guard case .array = line else { return nil }
      return try? JSONDecoder().decode([Answer].self, from: JSONEncoder().encode(line))
    }
    #expect(answers.first?.map(\.id) == [.string("first"), nil, .integer(2)])
    #expect(answers.first?.last?.result?.structuredContent != nil)
  }

  @Test func notificationsAndResponsesHaveNoAnswer() async throws {
    let answers = try await answers([
      #"{"jsonrpc":"2.0","method":"notifications/unknown","params":[1]}"#,
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#,
      #"{"jsonrpc":"2.0","id":5,"result":{}}"#, Self.ping,
    ])
    #expect(answers.map(\.id) == [.string("last")])
  }

  @Test func wrongArgumentsAreResultsThatAModelReads() async throws {
    let calls = [
      ("prove", #"{"before":"a"}"#), ("prove", #"{"before":"--help","after":"a"}"#),
      ("findings", #"{"input":"-"}"#), ("findings", #"{"input":7}"#),
      ("findings", #"{"budget":"many"}"#), ("findings", #"{"sql":"SELECT 1"}"#),
      ("gate", #"{"input":"--update"}"#), ("locks", "[]"), ("findings", #"{"input":"/none"}"#),
    ]
    let answers = try await answers(
      calls.enumerated().map { Self.call($0, $1.0, $1.1) } + [Self.ping])
    #expect(answers.count == calls.count + 1)
    for answer in answers where answer.id != .string("last") {
      #expect(answer.result?.isError == true, "\(answer)")
      #expect(answer.result?.content?.first?["text"]?.isEmpty == false)
    }
  }

  @Test func aToolsResultIsTheJSONOfItsCommand() async throws {
    let path = try log()
    let path2 = folder.path("app.db")
    try Connection(path: path2).execute("CREATE TABLE book(a, b)")
    let baseline = folder.path("baseline.json")
    _ = try await tool.run("baseline", path, "-o", baseline)
    let commands: [(tool: String, arguments: String, words: [String])] = [
      ("findings", #"{"input":"\#(path)"}"#, ["findings", path, "--json", "--brief"]),
      (
        "plan", #"{"input":"\#(path)","database":"\#(path2)"}"#,
        ["plans", path, "--database=\(path2)", "--json", "--forms"]
      ),
      (
        "gate", #"{"input":"\#(path)","baseline":"\#(baseline)"}"#,
        ["gate", path, "--baseline=\(baseline)", "--json", "--brief"]
      ),
      (
        "prove", #"{"before":"\#(path)","after":"\#(path)"}"#,
        ["prove", path, path, "--json", "--brief"]
      ),
    ]
    let answers = try await answers(
      commands.enumerated().map { Self.call($0, $1.tool, $1.arguments) })
    #expect(answers.count == commands.count)
    let listed = try await self.answers([#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#])
    var outputs: [String: JSONValue] = [:]
    for case .object(let listed) in listed.first?.result?.tools ?? [] {
      if case .string(let name) = listed["name"] { outputs[name] = listed["outputSchema"] }
    }
    for answer in answers {
      guard case .integer(let index) = answer.id else { continue }
      // The keys of the tool's schema are there; PyPI's client checks the types.
      guard case .object(let schema) = outputs[commands[Int(index)].tool],
        case .array(let required) = schema["required"],
        case .object(let content) = answer.result?.structuredContent
      else {
        Issue.record("\(answer)")
        continue
      }
      #expect(!required.isEmpty)
      for case .string(let name) in required { #expect(content[name] != nil, "\(name)") }
      let command = commands[Int(index)]
      let run = try await tool.run(command.words)
      #expect(answer.result?.structuredContent == (try JSONValue(text: run.output)), "\(command)")
      let text = answer.result?.content?.compactMap { $0["text"] }.joined(separator: "\n") ?? ""
      #expect(text.contains("exit code \(run.status)"), "\(command): \(text)")
      #expect(!text.contains("marked"), "\(command): \(text)")
    }
  }

  /// The client of PyPI's `mcp`, where `FLEET_PYTHON` has it: Scripts/test-mcp.sh.
  @Test(.enabled(if: Python.has("mcp"))) func theClientOfTheProtocolsAuthorsReadsEachTool() throws {
    let path = try log()
    try Connection(path: folder.path("app.db")).execute("CREATE TABLE book(a, b)")
    let run = try Python.run(
      "mcp_client.py", Program("trace-report").path, path, folder.path("app.db"))
    #expect(run.status == 0, "\(run.output)")
  }
}
