// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// A request over its own connection.
///
/// The tool is linked statically and sends to an agent on this host or in its network. Foundation's
/// URLSession would add libcurl and a TLS library for one POST.
enum HTTPClient {
  struct Response {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    var body: String
  }

  /// The reason why there is no response; each may be temporary.
  enum Failure: Error {
    case unreachable(String)
    case noAnswer(String)

    var sentence: String {
      switch self {
      case .unreachable(let reason): "cannot be reached: \(reason)"
      case .noAnswer(let reason): "did not respond: \(reason)"
      }
    }
  }

  // 64 KiB is arbitrary: the response to an export is a few bytes.
  private static let maxResponse = 64 << 10

  /// Sends a POST and waits for the complete response.
  ///
  /// - Parameter seconds: for the connection, and for each part of the exchange.
  static func post(
    _ body: String, to address: HTTPAddress, headers: [(String, String)], seconds: Int = 10
  ) throws(Failure) -> Response {
    let socket = try connect(to: address, seconds: seconds)
    defer { close(socket) }
    var request = "POST \(address.path.isEmpty ? "/" : address.path) HTTP/1.1\r\n"
    request += "Host: \(address.authority)\r\nContent-Length: \(body.utf8.count)\r\n"
    for (name, value) in headers { request += "\(name): \(value)\r\n" }
    request += "Connection: close\r\n\r\n"
    try send(request + body, socket)
    return try receive(socket)
  }

  private static func connect(
    to address: HTTPAddress, seconds: Int
  ) throws(Failure) -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(address.host, String(address.port), &hints, &list)
    guard code == 0 else { throw .unreachable(String(cString: gai_strerror(code))) }
    defer { freeaddrinfo(list) }
    var reason = "no address"
    var next = list
    while let info = next?.pointee {
      next = info.ai_next
      let socket = Glibc.socket(info.ai_family, info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard socket >= 0 else { continue }
      // SO_SNDTIMEO also limits a connection attempt.
      var limit = timeval(tv_sec: seconds, tv_usec: 0)
      let size = socklen_t(MemoryLayout<timeval>.size)
      setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
      setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
      if Glibc.connect(socket, info.ai_addr, info.ai_addrlen) == 0 { return socket }
      reason = errno == EINPROGRESS ? "no response in \(seconds) s" : SystemErrorText.last.sentence
      close(socket)
    }
    throw .unreachable(reason)
  }

  private static func send(_ text: String, _ socket: Int32) throws(Failure) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .noAnswer(timeoutOrError) }
      rest = rest.dropFirst(count)
    }
  }

  private static func receive(_ socket: Int32) throws(Failure) -> Response {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while bytes.count < maxResponse {
      if let response = response(bytes, isWhole: false) { return response }
      let count = recv(socket, &block, block.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .noAnswer(timeoutOrError) }
      guard count > 0 else { break }
      bytes += block[..<count]
    }
    guard let response = response(bytes, isWhole: true) else {
      throw .noAnswer("it closed the connection")
    }
    return response
  }

  private static var timeoutOrError: String {
    errno == EAGAIN || errno == EWOULDBLOCK
      ? "it took too long" : SystemErrorText.last.sentence
  }

  /// Parses a response; nil while a part is missing.
  static func response(_ bytes: [UInt8], isWhole: Bool) -> Response? {
    guard let end = HTTPHead.end(of: bytes) else { return nil }
    // CR and LF together are one Character.
    var lines = String(decoding: bytes[..<end], as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines.removeFirst().split(separator: " ")
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      return isWhole ? Response(status: 0, headers: [:], body: "") : nil
    }
    let headers = Dictionary(
      lines.compactMap { line -> (String, String)? in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        return (line[..<colon].lowercased(), String(value))
      }, uniquingKeysWith: { first, _ in first })
    let body = bytes[end...]
    if !isWhole {
      guard let length = headers["content-length"].flatMap({ Int($0) }), body.count >= length
      else { return nil }
    }
    return Response(
      status: status, headers: headers, body: String(decoding: body, as: UTF8.self))
  }
}
