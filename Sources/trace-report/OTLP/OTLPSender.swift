// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import StoreEvents
import TraceReading

/// Sends lines of OTLP/JSON to a collector, in order.
///
///     line ──▶ collector          while it responds
///     line ──▶ spool ──▶ collector   while it does not, or older lines wait
///
/// Without a spool the export waits for the collector: the trace is the spool.
final class OTLPSender {
  enum Signal: String { case traces, metrics }

  private let address: HTTPAddress
  private let headers: [(String, String)]
  private let spool: OTLPSpool?
  /// The time in seconds since the collector's last response after which the export ends.
  private let patience: Int
  private var lastAnswer = OTLPSender.now
  private var nextAttempt = 0.0
  private var pause = 0.5
  private(set) var sent = 0
  private(set) var refused: [String] = []

  // Pauses double up to this limit, so a collector that is available again is found within seconds.
  private static let maxPause = 8.0

  init(address: HTTPAddress, spool: OTLPSpool?, patience: Int) throws {
    self.address = address
    self.spool = spool
    self.patience = patience
    var headers = [("Content-Type", "application/json")]
    // OpenTelemetry's own variable: `authorization=Bearer x,tenant=7`.
    if let text = getenv("OTEL_EXPORTER_OTLP_HEADERS") {
      for pair in String(cString: text).split(separator: ",") {
        guard let equals = pair.firstIndex(of: "="), !pair.utf8.contains(where: { $0 < 0x20 })
        else { throw Failure("OTEL_EXPORTER_OTLP_HEADERS must be name=value,name=value") }
        headers.append(
          (
            String(pair[..<equals]).trimmed,
            String(pair[pair.index(after: equals)...]).removingPercents
          ))
      }
    }
    self.headers = headers
  }

  /// Sends a line, or adds it to the spool.
  func send(_ line: String, _ signal: Signal) throws {
    guard let spool else { return try sendNow(line, signal) }
    // Older lines first, with one attempt per pause, so reading continues meanwhile.
    if spool.isEmpty, Self.now >= nextAttempt, try attempt(line, signal) { return }
    try spool.add(line, signal)
    while Self.now >= nextAttempt, let first = try spool.first {
      guard try attempt(first.line, first.signal) else { break }
      try spool.removeFirst()
    }
    guard spool.isFull else { return }
    // The spool is full: reading waits for the collector.
    while spool.isFull, let first = try spool.first {
      try sendNow(first.line, first.signal)
      try spool.removeFirst()
    }
  }

  /// Sends the lines in the spool.
  ///
  /// - Throws: ``Failure`` if the collector did not respond, or refused a part.
  func finish() throws {
    while let spool, let first = try spool.first {
      try sendNow(first.line, first.signal)
      try spool.removeFirst()
    }
    guard let reason = refused.first else { return }
    throw Failure(
      "the collector refused \(refused.count.counted("part")) of the export: "
        + LogText.escaped(reason))
  }

  /// Waits for the collector, for up to `--patience` seconds.
  private func sendNow(_ line: String, _ signal: Signal) throws {
    while true {
      let wait = nextAttempt - Self.now
      if wait > 0 { Thread.pause(seconds: wait) }
      if ReadingInterruption.isRequested {
        throw Failure("interrupted; \(remainder)", status: ExitStatus.interrupted)
      }
      if try attempt(line, signal) { return }
      guard Self.now - lastAnswer < Double(patience) else {
        throw Failure("the collector \(lastProblem); \(remainder)")
      }
    }
  }

  private var lastProblem = ""

  private var remainder: String {
    let done = "\(sent.counted("part was", "parts were")) sent"
    guard let spool, !spool.isEmpty else {
      return "\(done); run the export again: parts that were sent have the same ids"
    }
    return
      "\(done), \(spool.count.counted("part waits", "parts wait")) in \(LogText.quoted(spool.folder)) "
      + "for the next export with this --spool"
  }

  /// Sends once.
  ///
  /// - Returns: false if it may succeed later.
  private func attempt(_ line: String, _ signal: Signal) throws -> Bool {
    do throws(HTTPClient.Failure) {
      let response = try HTTPClient.post(
        line, to: address.appending("/v1/\(signal.rawValue)"), headers: headers)
      switch response.status {
      case 200..<300:
        lastAnswer = Self.now
        (pause, nextAttempt) = (0.5, 0)
        sent += 1
        if let problem = Self.partialProblem(response.body) { refused.append(problem) }
        return true
      case 408, 429, 500, 502, 503, 504:
        lastProblem = "answers \(response.status)"
        postpone(response.headers["retry-after"].flatMap { Double($0) })
        return false
      default:
        // It would refuse it again. The request is kept, so no data is lost.
        lastAnswer = Self.now
        let place = try? spool?.keepRefused(line, signal)
        refused.append(
          "\(response.status) for \(signal.rawValue)"
            + (place.map { ", kept as \($0)" } ?? "") + ": \(response.body.prefix(200))")
        return true
      }
    } catch {
      lastProblem = error.sentence
      postpone(nil)
      return false
    }
  }

  private func postpone(_ seconds: Double?) {
    nextAttempt = Self.now + min(max(seconds ?? pause, 0.1), 60)
    pause = min(pause * 2, Self.maxPause)
  }

  /// A collector may accept a request and drop a part of it:
  /// `{"partialSuccess":{"rejectedSpans":"5"}}`.
  private static func partialProblem(_ body: String) -> String? {
    struct Response: Decodable {
      var partialSuccess: Part?
      struct Part: Decodable {
        var rejectedSpans: Count?
        var rejectedDataPoints: Count?
        var errorMessage: String?
      }
      enum Count: Decodable {
        case number(Int64)
        init(from decoder: any Decoder) throws {
          let container = try decoder.singleValueContainer()
          if let number = try? container.decode(Int64.self) {
            self = .number(number)
          } else {
            self = .number(Int64(try container.decode(String.self)) ?? 0)
          }
        }
        var value: Int64 { if case .number(let number) = self { number } else { 0 } }
      }
    }
    guard let response = try? BoundedJSON.decode(Response.self, from: Data(body.utf8)),
      let part = response.partialSuccess
    else { return nil }
    let count = max(part.rejectedSpans?.value ?? 0, part.rejectedDataPoints?.value ?? 0)
    guard count > 0 else { return nil }
    return "it dropped \(count) of a request: \(part.errorMessage ?? "")"
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private enum Thread {
    static func pause(seconds: Double) {
      // In short parts, so that a signal ends the wait soon.
      var rest = seconds
      while rest > 0, !ReadingInterruption.isRequested {
        usleep(UInt32(min(rest, 0.2) * 1e6))
        rest -= 0.2
      }
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  /// `Bearer%20x` as `Bearer x`, as OpenTelemetry's variable is written.
  fileprivate var removingPercents: String {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), value >= 0x20
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
