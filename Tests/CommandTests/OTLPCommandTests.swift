// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// `export --format otlp`: curl sends its lines to a collector.
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

  @Test(
    .enabled(
      if: Python.has("http.server") && FileManager.default.fileExists(atPath: "/usr/bin/curl"),
      "needs python3 and curl"))
  func curlSendsEachLineToACollector() async throws {
    let file = try await export()
    let got = folder.path("got")
    let server = try PythonServer("collector.py", [got])
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [
      "-c",
      """
      set -euo pipefail
      while IFS= read -r line; do
        case $line in '{"resourceSpans"'*) signal=traces ;; *) signal=metrics ;; esac
        printf '%s\\n' "$line" | curl -sf -H 'Content-Type: application/json' --data-binary @- \\
          "http://127.0.0.1:$1/v1/$signal"
      done < "$2"
      """, "send", "\(server.port)", file,
    ]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try Data(contentsOf: URL(filePath: got)) == Data(contentsOf: URL(filePath: file)))
  }

  @Test func anEmptyInputIsInconclusive() async throws {
    let empty = folder.path("empty.log")
    try Data().write(to: URL(filePath: empty))
    #expect(try await report.run("export", empty, "--format", "otlp").status == 3)
  }
}
