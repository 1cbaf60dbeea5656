// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// Serves GET requests between the steps of a loop; a client that is slow delays no other one.
final class HTTPServer {
  struct Answer {
    var status = "200 OK"
    var type = "text/plain; charset=utf-8"
    var body = ""
    var headers: [(String, String)] = []
  }

  private let socket: Int32
  private let hosts: Set<String>?
  private let token: String?
  /// Oldest first.
  private var clients: [Client] = []

  // A scraper sends its request at once, and reads the response as fast as it comes.
  private static let patience = Duration.seconds(2)
  private static let maxHead = 16 << 10
  // 64 is arbitrary: each has a descriptor and a response of some megabytes at most.
  private static let maxClients = 64

  /// A connection with an incomplete request or response.
  private struct Client {
    let socket: Int32
    var head: [UInt8] = []
    /// The part of the response that is not sent yet; nil before the request is complete.
    var rest: ArraySlice<UInt8>?
    var deadline = ContinuousClock.now + HTTPServer.patience
    var isDone = false
  }

  /// Listens.
  ///
  /// - Parameter token: the required token of `Authorization: Bearer`; nil for none.
  init(host: String, port: UInt16, token: String?) throws {
    self.token = token
    hosts = Self.isLoopback(host) ? ["localhost", "127.0.0.1", "::1", host] : nil
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    guard code == 0, let info = list?.pointee else {
      throw Failure(
        "cannot listen on '\(LogText.escaped(host))': \(String(cString: gai_strerror(code)))")
    }
    defer { freeaddrinfo(list) }
    socket = Glibc.socket(
      info.ai_family, info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard socket >= 0, bind(socket, info.ai_addr, info.ai_addrlen) == 0,
      Glibc.listen(socket, 16) == 0
    else {
      let error = errno
      if socket >= 0 { close(socket) }
      throw Failure(
        error == EADDRINUSE
          ? "port \(port) of \(host) is in use, perhaps by another serve; end it, or pass another --listen"
          : "cannot listen on \(host):\(port): \(SystemErrorText(error).sentence)")
    }
  }

  deinit {
    for client in clients { close(client.socket) }
    if socket >= 0 { close(socket) }
  }

  /// The port; the system chooses one if 0 was passed.
  var port: UInt16 {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        getsockname(socket, address, &size) == 0
      else { return 0 }
      // The port is at the same offset in both families.
      return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }
  }

  /// Waits for connections, requests and room for responses, up to a time limit, and serves them.
  func serve(milliseconds: Int32, _ answer: (String) -> Answer) {
    var questions = [pollfd(fd: socket, events: Int16(POLLIN), revents: 0)]
    questions += clients.map {
      pollfd(fd: $0.socket, events: Int16($0.rest == nil ? POLLIN : POLLOUT), revents: 0)
    }
    let count = poll(&questions, nfds_t(questions.count), milliseconds)
    for index in clients.indices where count > 0 && questions[index + 1].revents != 0 {
      if clients[index].rest == nil { read(&clients[index], answer) }
      if clients[index].rest != nil { send(&clients[index]) }
    }
    if count > 0, questions[0].revents != 0 { acceptClient() }
    let now = ContinuousClock.now
    for client in clients where client.isDone || client.deadline < now { close(client.socket) }
    clients.removeAll { $0.isDone || $0.deadline < now }
  }

  private func acceptClient() {
    let connection = accept(socket, nil, nil)
    guard connection >= 0 else { return }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    _ = fcntl(connection, F_SETFL, O_NONBLOCK)
    if clients.count >= Self.maxClients { close(clients.removeFirst().socket) }
    clients.append(Client(socket: connection))
  }

  private func read(_ client: inout Client, _ answer: (String) -> Answer) {
    var block = [UInt8](repeating: 0, count: 4096)
    let count = recv(client.socket, &block, block.count, 0)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0, client.head.count < Self.maxHead else { return client.isDone = true }
    client.head += block[..<count]
    guard HTTPHead.end(of: client.head) != nil else { return }
    let head = String(decoding: client.head, as: UTF8.self)
    client.rest = Self.bytes(of: self.answer(to: head, answer), isHead: head.hasPrefix("HEAD "))
    client.deadline = .now + Self.patience
  }

  private func send(_ client: inout Client) {
    while let rest = client.rest, !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(client.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else { break }
      client.rest = rest.dropFirst(count)
      client.deadline = .now + Self.patience
    }
    client.isDone = true
  }

  private func answer(to head: String, _ answer: (String) -> Answer) -> Answer {
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = (lines.first ?? "").split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
      return Answer(status: "400 Bad Request", body: "not an HTTP/1.1 request\n")
    }
    func header(_ name: String) -> String? {
      lines.dropFirst().first { $0.lowercased().hasPrefix(name + ":") }
        .map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
    }
    // A page of another origin can resolve its own name to this address (DNS rebinding).
    if let hosts {
      let host = HTTPAddress.split(header("host") ?? "localhost", defaultPort: 80)?.host ?? ""
      guard hosts.contains(host.lowercased()) else {
        return Answer(status: "421 Misdirected Request", body: "not a name of this host\n")
      }
    }
    let path = String(words[1].prefix { $0 != "?" })
    guard words[0] == "GET" || words[0] == "HEAD" else {
      return Answer(
        status: "405 Method Not Allowed", body: "use GET\n", headers: [("Allow", "GET, HEAD")])
    }
    if let token, path != "/healthz", !Self.equal(header("authorization") ?? "", "Bearer \(token)")
    {
      return Answer(
        status: "401 Unauthorized", body: "a bearer token is required\n",
        headers: [("WWW-Authenticate", "Bearer")])
    }
    return answer(path)
  }

  /// Compares in a time that does not depend on where the texts differ.
  private static func equal(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func bytes(of answer: Answer, isHead: Bool) -> ArraySlice<UInt8> {
    var text = "HTTP/1.1 \(answer.status)\r\nContent-Type: \(answer.type)\r\n"
    text += "Content-Length: \(answer.body.utf8.count)\r\nConnection: close\r\n"
    text += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
    for (name, value) in answer.headers { text += "\(name): \(value)\r\n" }
    return Array((text + "\r\n" + (isHead ? "" : answer.body)).utf8)[...]
  }

  static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "::1"
      || (host.hasPrefix("127.") && host.split(separator: ".").count == 4
        && host.allSatisfy { $0.isNumber || $0 == "." })
  }
}
