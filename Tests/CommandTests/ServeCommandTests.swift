// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// `trace-report serve`, called over a socket as a scraper and as others would.
@Suite struct ServeCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  /// A server that ends with the test.
  private final class Server {
    let process = Process()
    let port: Int

    init(_ report: Program, _ arguments: [String]) throws {
      process.executableURL = URL(filePath: report.path)
      process.arguments = ["serve"] + arguments
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = FileHandle.nullDevice
      try process.run()
      let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
      port =
        line.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    }

    deinit {
      process.terminate()
      process.waitUntilExit()
    }

    /// A connection that has sent a text; nil if there is none.
    func connection(sending request: String) -> Int32? {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isConnected else {
        close(descriptor)
        return nil
      }
      _ = Array(request.utf8).withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      return descriptor
    }

    /// The whole answer to a request as it is.
    func ask(_ request: String) -> String {
      guard let descriptor = connection(sending: request) else { return "" }
      defer { close(descriptor) }
      var bytes: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 65_536)
      while case let count = recv(descriptor, &block, block.count, 0), count > 0 {
        bytes += block[..<count]
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    func get(_ path: String, _ headers: String = "") -> String {
      ask("GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\(headers)\r\n")
    }
  }

  private func run(_ pid: Int64, scans: UInt64 = 0) -> RunBuilder {
    RunBuilder {
      $0.process = ProcessIdentity(id: pid, name: "app")
      $0.open(start: pid)
      $0.fetch("SELECT a FROM book", entity: "Book", rows: 3, fullScanSteps: scans)
      $0.checkpoint(9, of: 20_000)
      $0.close()
    }
  }

  /// - Parameter pause: longer where an answer takes the server longer, which reads in between.
  private func waitFor(
    _ words: String, in server: Server, pause: Duration = .milliseconds(100)
  ) async throws -> String {
    var text = ""
    for _ in 0..<600 {
      text = server.get("/metrics")
      if text.contains(words) { return text }
      try await Task.sleep(for: pause)
    }
    return text
  }

  @Test func addsRecordingsOfAFolderOnce() async throws {
    let recordings = URL(filePath: folder.path("recordings"))
    try FileManager.default.createDirectory(at: recordings, withIntermediateDirectories: true)
    try run(1).writeTrace(to: recordings.appending(path: "a"))
    let baseline = folder.path("baseline.json")
    let made = try await report.run(
      "baseline", recordings.appending(path: "a").path, "-o", baseline)
    #expect(made.status == 0, "\(made.error)")
    let server = try Server(
      report, ["--listen", "127.0.0.1:0", recordings.path, "--baseline", baseline])
    let first = try await waitFor("storescope_fetches_total 1", in: server)
    #expect(first.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text;"))
    #expect(first.hasSuffix("# EOF\n"))
    #expect(first.contains("storescope_gate_recordings_total{verdict=\"same\"} 1"))
    #expect(first.contains("storescope_wal_frames 20000"))
    try run(2, scans: 5000).writeTrace(to: recordings.appending(path: "b"))
    try FileManager.default.copyItem(
      at: recordings.appending(path: "a"), to: recordings.appending(path: "copy"))
    try Data("{\"schemaVersion\": 1".utf8).write(to: recordings.appending(path: "half.json"))
    let second = try await waitFor("result=\"failed\"} 2", in: server)
    #expect(second.contains("storescope_fetches_total 2"))
    #expect(second.contains("storescope_recordings_total{result=\"added\"} 2"))
    #expect(second.contains("verdict=\"regression\"} 1"))
    #expect(server.get("/").contains("<!DOCTYPE html>") || server.get("/").contains("<html"))
  }

  @Test func servesOneTrace() async throws {
    let trace = folder.url.appending(path: "trace")
    try run(1).writeTrace(to: trace)
    let server = try Server(report, ["--listen", "127.0.0.1:0", trace.path])
    let text = try await waitFor("storescope_fetches_total 1", in: server)
    #expect(text.contains("storescope_recordings_total{result=\"added\"} 1"))
    #expect(text.contains("storescope_recordings_total{result=\"failed\"} 0"))
  }

  @Test func bucketsNameAStatementOfTheDashboard() async throws {
    let trace = folder.url.appending(path: "trace")
    try run(1).writeTrace(to: trace)
    let server = try Server(report, ["--listen", "127.0.0.1:0", trace.path])
    let text = try await waitFor("storescope_fetches_total 1", in: server)
    let exemplar = try #require(text.firstMatch(of: /# \{statement="([0-9a-f]{16})"/))
    #expect(text.contains("storescope_statement_info{statement=\"\(exemplar.1)\""))
    #expect(server.get("/").contains(exemplar.1))
  }

  /// A log with a process that runs so many statements, each of another form, up to a number.
  private func append(_ forms: Range<Int>, process: Int64, to log: String) throws {
    let run = RunBuilder {
      $0.process = ProcessIdentity(id: process, name: "app")
      $0.open(start: process)
      for form in forms { $0.fetch("SELECT a\(form) FROM book", entity: "Book\(form)", rows: 3) }
      $0.close()
    }
    if !FileManager.default.fileExists(atPath: log) {
      try Data().write(to: URL(filePath: log))
    }
    let file = try #require(FileHandle(forWritingAtPath: log))
    try file.seekToEnd()
    try file.write(contentsOf: Data(run.log.utf8))
    try file.close()
  }

  @Test func memoryIsBoundedHoweverManyFormsThereAre() async throws {
    let log = folder.path("run.log")
    // As many as are distinguished, so that all tables are full.
    try append(0..<21_000, process: 1, to: log)
    let server = try Server(report, ["--listen", "127.0.0.1:0", log])
    func memory(after count: Int) async throws -> Int {
      let words = "storescope_fetches_total \(count)\n"
      #expect(try await waitFor(words, in: server, pause: .seconds(3)).contains(words))
      let path = "/proc/\(server.process.processIdentifier)/status"
      let line = try String(contentsOfFile: path, encoding: .utf8)
        .split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
      return try #require(line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
    }
    let full = try await memory(after: 21_000)
    try append(21_000..<26_000, process: 2, to: log)
    // Another 20,000 forms that are kept would take some 70 MiB each time; a peak of the allocator goes again.
    var growths: [Int] = []
    var before = try await memory(after: 26_000)
    for (step, end) in stride(from: 46_000, through: 86_000, by: 20_000).enumerated() {
      try append(end - 20_000..<end, process: Int64(3 + step), to: log)
      let after = try await memory(after: end)
      growths.append(after - before)
      before = after
    }
    #expect(growths.min()! <= full / 10 + 4096, "\(full), then \(growths) KiB more")
    #expect(full > 1000 && before > 1000)
    // 100 statements and 100 entities.
    #expect(server.get("/metrics").utf8.count < 1_000_000)
  }

  // Not in `make test`: the program inherits the sockets by which Foundation learns that other tests'
  // programs ended.
  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["LIVE"] != nil, "make test-live"))
  func anyProgramIsObserved() async throws {
    let script = folder.path("app.py")
    let end = folder.path("end")
    try """
    import os, sqlite3, sys, time
    db = sqlite3.connect(sys.argv[1])
    db.execute("CREATE TABLE stop(id INTEGER PRIMARY KEY)")
    for number in range(100):
        db.execute("SELECT id FROM stop WHERE id = ?", (number,)).fetchall()
    while not os.path.exists(sys.argv[2]):
        time.sleep(0.05)
    """.write(toFile: script, atomically: true, encoding: .utf8)
    let server = try Server(
      report,
      ["--listen", "127.0.0.1:0", "--", "python3", script, folder.path("app.db"), end])
    let text = try await waitFor("\"} 100\n", in: server)
    #expect(text.contains(/storescope_statement_runs_total\{.*app\.py:5"\} 100\n/))
    #expect(FileManager.default.createFile(atPath: end, contents: nil))
  }

  @Test func answersNothingButGetOfItsOwnHost() async throws {
    let log = folder.path("run.log")
    try Data(run(1).log.utf8).write(to: URL(filePath: log))
    let server = try Server(report, ["--listen", "127.0.0.1:0", log])
    #expect(try await waitFor("storescope_fetches_total 1", in: server).contains("200 OK"))
    #expect(server.get("/healthz").hasSuffix("\r\n\r\nok\n"))
    #expect(server.get("/../etc/passwd").hasPrefix("HTTP/1.1 404"))
    #expect(
      server.ask("POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").hasPrefix("HTTP/1.1 405"))
    #expect(server.ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").hasPrefix("HTTP/1.1 421"))
    #expect(server.ask("nonsense\r\n\r\n").hasPrefix("HTTP/1.1 400"))
    #expect(server.ask(String(repeating: "x", count: 100_000)) == "")
    #expect(
      server.ask("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").hasSuffix("\r\n\r\n"))
    #expect(server.ask("GET") == "")
    #expect(server.get("/healthz").contains("ok"))
    let second = try await report.run("serve", "--listen", "127.0.0.1:\(server.port)", log)
    #expect(
      second.status == 1 && second.error.contains("port \(server.port) of 127.0.0.1 is in use"))
  }

  @Test func clientsThatSendHalfARequestDelayNoOther() async throws {
    let log = folder.path("run.log")
    try Data(run(1).log.utf8).write(to: URL(filePath: log))
    let server = try Server(report, ["--listen", "127.0.0.1:0", log])
    #expect(try await waitFor("storescope_fetches_total 1", in: server).contains("200 OK"))
    let slow = (0..<8).compactMap { _ in server.connection(sending: "GET / HT") }
    defer { for descriptor in slow { close(descriptor) } }
    #expect(server.get("/healthz").contains("ok"))
    // The server still waits for all of them.
    let waiting = slow.filter { descriptor in
      var byte: UInt8 = 0
      return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }
    #expect(slow.count == 8 && waiting.count == 8)
    #expect(server.ask("GET") == "")
  }

  @Test func otherHostsNeedTheToken() async throws {
    let log = folder.path("run.log")
    try Data(run(1).log.utf8).write(to: URL(filePath: log))
    let open = try await report.run("serve", "--listen", "0.0.0.0:0", log)
    #expect(open.status == 64 && open.error.contains("pass --token-file FILE"))
    try Data("short\n".utf8).write(to: URL(filePath: folder.path("token")))
    let short = try await report.run(
      "serve", "--listen", "127.0.0.1:0", "--token-file", folder.path("token"), log)
    #expect(short.status == 1 && short.error.contains("fewer than 16"))
    try Data("0123456789abcdef\n".utf8).write(to: URL(filePath: folder.path("token")))
    let server = try Server(
      report, ["--listen", "0.0.0.0:0", "--token-file", folder.path("token"), log])
    #expect(server.get("/metrics").hasPrefix("HTTP/1.1 401"))
    #expect(server.get("/", "Authorization: Bearer 0123456789abcdeX\r\n").hasPrefix("HTTP/1.1 401"))
    #expect(
      server.get("/metrics", "Authorization: Bearer 0123456789abcdef\r\n").contains("200 OK"))
    #expect(server.get("/healthz").contains("ok"))
  }

  @Test func theAddressIsChecked() async throws {
    for listen in ["9464", "localhost", "::1:9464", "127.0.0.1:99999", ""] {
      let run = try await report.run("serve", "--listen", listen, folder.path(""))
      #expect(run.status == 64, "\(listen)")
    }
    let none = try await report.run("serve", "--listen", "127.0.0.1:0", folder.path("none.log"))
    #expect(none.status == 1 && none.error.contains("no such input"))
  }
}
