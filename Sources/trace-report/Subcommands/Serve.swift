// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRecording
import TraceRendering

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serves the sums of a running program, or of a folder of recordings, to Prometheus.",
    discussion: """
      trace-report serve debug.log
      trace-report serve --listen 127.0.0.1:9464 recordings/ --baseline baseline.json
      trace-report serve -- python3 app.py
      trace-report serve --pid 4711

      A program after -- is observed through its log, which takes no space. --pid loads the \
      probe into a process that runs already, as 'attach' does, and removes its hooks at the end. /metrics is OpenMetrics with \
      exemplars that name statements, / is the dashboard, and /healthz returns ok. In a folder \
      each trace and saved report is added once, when it is complete. Memory is bounded, and the \
      server is read-only. An address that is reachable from other hosts needs --token-file; \
      requests then need 'Authorization: Bearer TOKEN'.
      """)

  @Option(help: "Load the probe into this running process, and serve its sums.")
  var pid: Int32?

  @Option(help: "The address and the port; port 0 for any free one.")
  var listen = "127.0.0.1:9464"

  @Option(help: "The file with the bearer token that requests must have.", completion: .file())
  var tokenFile: String?

  @Option(help: "With a folder: compare each recording with this baseline.", completion: .file())
  var baseline: String?

  @Option(help: "The number of statements and of entities with metrics of their own.")
  var top = 100

  @Flag(
    help:
      "Also export what endangers the databases that are open on this host, as 'locks --all' does.")
  var hazards = false

  @Argument(
    help: ArgumentHelp(
      "A folder of recordings, or a debug log.",
      valueName: "input"),
    completion: .file())
  var input: String?

  @Argument(
    parsing: .postTerminator, help: "The program to run and its arguments, after --.",
    completion: .file())
  var command: [String] = []

  func validate() throws {
    guard [input != nil, pid != nil, !command.isEmpty].count(where: { $0 }) == 1 else {
      throw ValidationError("Pass either a folder, a log, --pid, or a program after --.")
    }
    if top < 1 { throw ValidationError("--top takes a number from 1 up, not \(top).") }
    guard let endpoint = HTTPAddress.split(listen, defaultPort: nil) else {
      throw ValidationError("--listen takes an address and a port, such as 127.0.0.1:9464.")
    }
    if !HTTPServer.isLoopback(endpoint.host), tokenFile == nil {
      throw ValidationError(
        "--listen \(listen) can be reached from other hosts: pass --token-file FILE.")
    }
  }

  func run() throws {
    Signals.catchEnding()
    let server = try server()
    let (source, program) = try source()
    Output.print("Serving http://\(address(server.port))/metrics\n")
    var page = Page(source: source, top: top, hazards: hazards ? HostHazards() : nil)
    let result = Result {
      while Signals.end == nil, !ReadingInterruption.isRequested {
        try source.read()
        server.serve(milliseconds: 100) { page.answer($0) }
      }
    }
    program?.close()
    try result.get()
  }

  private func server() throws -> HTTPServer {
    guard let endpoint = HTTPAddress.split(listen, defaultPort: nil) else {
      throw ExitCode.validationFailure
    }
    let token = try tokenFile.map { path in
      guard let data = FileManager.default.contents(atPath: path) else {
        throw Failure("cannot read the token in \(LogText.quoted(path))")
      }
      let token = String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }
      guard token.utf8.count >= 16 else {
        throw Failure("the token in \(LogText.quoted(path)) has fewer than 16 characters")
      }
      return token
    }
    return try HTTPServer(host: endpoint.host, port: endpoint.port, token: token)
  }

  private func address(_ port: UInt16) -> String {
    let host = HTTPAddress.split(listen, defaultPort: nil)?.host ?? ""
    return (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
  }

  private func source() throws -> (any ServeSource, TopSource?) {
    if let input, InputPath.isFolder(input) {
      let known = try baseline.map { try BaselineV1(path: $0) }
      return (FolderServeSource(input, baseline: known), nil)
    }
    if baseline != nil { throw ValidationError("--baseline needs a folder of recordings.") }
    let source =
      if let input {
        try TopSource(input)
      } else if let pid {
        try TopSource(process: pid)
      } else {
        try TopSource(command: command, output: .standardError)
      }
    return (LiveServeSource(source), source)
  }

  /// The responses; the sums are computed at most once a second.
  private struct Page {
    let source: any ServeSource
    let top: Int
    /// nil if they are not exported.
    var hazards: HostHazards?
    var computed: (time: ContinuousClock.Instant, profile: Profile?, metrics: String)?

    mutating func answer(_ path: String) -> HTTPServer.Answer {
      switch path {
      case "/healthz": return .init(body: "ok\n")
      case "/metrics":
        let text = ProfileMetrics.text(
          sums.profile ?? .empty, top: top, exemplars: true, adding: sums.metrics)
        return .init(
          type: "application/openmetrics-text; version=1.0.0; charset=utf-8", body: text)
      case "/":
        guard let profile = sums.profile,
          let html = try? DashboardPage(TimedProfile(profile: profile)).html()
        else { return .init(status: "503 Service Unavailable", body: "no events yet\n") }
        return .init(type: "text/html; charset=utf-8", body: html)
      default: return .init(status: "404 Not Found", body: "/metrics, / and /healthz\n")
      }
    }

    /// The texts of one moment.
    private var sums: (profile: Profile?, metrics: String) {
      mutating get {
        if let computed, .now - computed.time < .seconds(1) {
          return (computed.profile, computed.metrics)
        }
        let metrics = source.extraMetrics + (hazards?.metrics ?? "")
        let sums = (source.profile().map { SharedProfile($0).profile }, metrics)
        computed = (.now, sums.0, sums.1)
        return sums
      }
    }
  }
}
