// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// `export --format otlp`, to a file and to a collector.
///
/// `make test-otlp` installs the protocol's package.
@Suite struct OTLPCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private struct Request: Decodable {
    var resourceSpans: [Resource]?
    struct Resource: Decodable { var scopeSpans: [Scope] }
    struct Scope: Decodable { var spans: [Span] }
    struct Span: Decodable {
      var traceId: String
      var spanId: String
      var parentSpanId: String?
      var name: String
      var kind: Int
      var attributes: [Attribute]
    }
    struct Attribute: Decodable {
      var key: String
      var value: [String: String]
    }
  }

  private static let secret = "Ada-Lovelace"

  /// A store's fetch with a prefetch, and a transaction of a program under the probe.
  private func trace(_ name: String = "trace") throws -> String {
    let run = RunBuilder { run in
      run.open(path: "/srv/shop.db")
      let outer = run.begin("Book")
      run.announce("SELECT a FROM book WHERE author = '\(Self.secret)'")
      run.fetch(
        "SELECT b FROM author WHERE name IN (\"\(Self.secret)\", 7)", kind: .prefetch, parent: outer
      )
      run.end(outer, "SELECT a FROM book WHERE author = '\(Self.secret)'", entity: "Book")
      run.connect(path: "/srv/app.db")
      run.run("SELECT c FROM loan", error: "SQLITE_ERROR: near \"\(Self.secret)\": syntax error")
      run.save()
      run.close()
    }
    let path = folder.path(name)
    try run.writeTrace(to: URL(filePath: path), labels: ["version": "1.4"])
    return path
  }

  private func export(_ name: String = "trace.jsonl") async throws -> String {
    let file = folder.path(name)
    let run = try await report.run("export", trace(), "--format", "otlp", "-o", file)
    #expect(run.status == 0, "\(run.error)")
    return file
  }

  @Test func nestedFetchesHaveParentsAndNoValueLeaves() async throws {
    let text = try String(contentsOfFile: try await export(), encoding: .utf8)
    #expect(!text.contains(Self.secret))
    let spans = try text.split(separator: "\n").flatMap { line in
      try JSONDecoder().decode(Request.self, from: Data(line.utf8)).resourceSpans ?? []
    }.flatMap(\.scopeSpans).flatMap(\.spans).sorted { $0.name < $1.name }
    #expect(spans.map(\.name) == ["SELECT author", "SELECT book", "SELECT loan", "save"])
    #expect(spans[0].parentSpanId == spans[1].spanId && spans[0].traceId == spans[1].traceId)
    #expect(spans[1].parentSpanId == nil && spans[2].traceId != spans[1].traceId)
    #expect(spans.map(\.kind) == [3, 3, 3, 1])
    func attribute(_ key: String, _ span: Int) -> String? {
      spans[span].attributes.first { $0.key == key }?.value.values.first
    }
    #expect(attribute("db.system.name", 0) == "sqlite")
    #expect(attribute("db.namespace", 1) == "/srv/shop.db")
    #expect(attribute("db.namespace", 2) == "/srv/app.db")
    #expect(attribute("db.query.text", 1) == "SELECT a FROM book WHERE author = ?")
    #expect(attribute("error.type", 2) == "SQLITE_ERROR")
    #expect(text.contains(#""service.version","value":{"stringValue":"1.4"}"#))
    #expect(text.contains(#""name":"db.client.operation.duration""#))
  }

  @Test(
    .enabled(
      if: Python.has("opentelemetry.proto"), "needs opentelemetry-proto of PyPI: make test-otlp"))
  func theProtocolsOwnDefinitionsAcceptIt() async throws {
    let run = try Python.run("otlp.py", try await export(), "--forbid", Self.secret)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("\"spans\": 4"))
  }

  private func send(
    _ input: String, to port: Int, _ more: String...
  ) async throws -> Program.Run {
    try await report.run(
      ["export", input, "--format", "otlp", "--endpoint", "http://127.0.0.1:\(port)"] + more)
  }

  private var spooled: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path("spool"))
        .filter { !$0.hasPrefix(".") }.sorted()
    }
  }

  @Test(.enabled(if: Python.has("http.server"), "needs python3"))
  func aCollectorThatIsAwayLosesNothing() async throws {
    let file = try await export()
    let got = folder.path("got")
    // `AWAY=60` in `make test-otlp`.
    let away = ProcessInfo.processInfo.environment["AWAY"] ?? "2"
    let server = try PythonServer("collector.py", [got, "--away", away])
    let run = try await send(folder.path("trace"), to: server.port, "--spool", folder.path("spool"))
    #expect(run.status == 0, "\(run.error)")
    #expect(try Data(contentsOf: URL(filePath: got)) == Data(contentsOf: URL(filePath: file)))
    #expect(try spooled == [])
  }

  @Test(.enabled(if: Python.has("http.server"), "needs python3"))
  func whatWasNotSentIsSentFirstNextTime() async throws {
    let file = try await export()
    let spool = ["--spool", folder.path("spool")]
    // It keeps its port: another test's server would take one that is free.
    let absent = try PythonServer("collector.py", [folder.path("none"), "--away", "600"])
    let away = try await send(
      folder.path("trace"), to: absent.port, spool[0], spool[1], "--patience", "0")
    withExtendedLifetime(absent) {}
    #expect(away.status == 1)
    #expect(away.error.contains("cannot be reached: Connection refused"))
    let waiting = try spooled
    #expect(waiting.count >= 2 && away.error.contains("\(waiting.count) parts wait in"))
    let got = folder.path("got")
    let server = try PythonServer("collector.py", [got, "--fail", "2", "503"])
    let run = try await send(folder.path("trace"), to: server.port, spool[0], spool[1])
    #expect(run.status == 0, "\(run.error)")
    let once = try String(contentsOfFile: file, encoding: .utf8)
    #expect(try String(contentsOfFile: got, encoding: .utf8) == once + once)
    #expect(try spooled == [])
  }

  @Test(.enabled(if: Python.has("http.server"), "needs python3"))
  func whatACollectorRefusesIsReportedAndKept() async throws {
    let input = try trace()
    let broken = try PythonServer("collector.py", [folder.path("a"), "--fail", "100", "400"])
    let run = try await send(input, to: broken.port, "--spool", folder.path("spool"))
    #expect(run.status == 1 && run.error.contains("the collector refused"))
    #expect(run.error.contains("400 for traces, kept as refused-0000000001-traces.json: not now"))
    #expect(try spooled.allSatisfy { $0.hasPrefix("refused-") })
    let dropping = try PythonServer("collector.py", [folder.path("b"), "--drop"])
    let partly = try await send(input, to: dropping.port)
    #expect(partly.status == 1 && partly.error.contains("it dropped 3 of a request: too old"))
  }

  @Test func endpointsAreChecked() async throws {
    let input = try trace()
    for (arguments, words) in [
      (["--format", "otlp", "--endpoint", "https://a"], "takes http:// only"),
      (["--format", "otlp", "--endpoint", "http://"], "takes an address such as"),
      (["--format", "otlp", "--endpoint", "http://a:99999"], "takes an address such as"),
      (["--format", "csv", "--endpoint", "http://a"], "needs --format otlp"),
      (["--format", "otlp", "--spool", "x"], "--spool needs --endpoint"),
    ] {
      let run = try await report.run(["export", input] + arguments)
      #expect(run.status == 64 && run.error.contains(words), "\(run.error)")
    }
    let empty = folder.path("empty.log")
    try Data().write(to: URL(filePath: empty))
    #expect(try await report.run("export", empty, "--format", "otlp").status == 3)
  }
}
