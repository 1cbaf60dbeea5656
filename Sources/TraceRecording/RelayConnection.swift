// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A connection of our own to a relay daemon, which shows that it is one and that it runs.
///
/// LTTng's daemons drop the events that a lost relay does not receive, without a word to the
/// recorder.
final class RelayConnection: Sendable {
  /// The address of the host, such as `10.0.0.7`.
  let numericHost: String
  private let socket: Int32
  private let state = Mutex<State>(.watching)
  private enum State { case watching, stopped, lost }

  // 5 s is arbitrary: longer than any network that could take a trace.
  private static let timeout: Int32 = 5000

  /// Connects and shakes hands.
  init(_ address: RelayAddress) throws(RecordingError) {
    let candidates = try Self.resolve(address)
    var reason = ""
    var connected: (socket: Int32, numericHost: String)?
    for candidate in candidates where connected == nil {
      switch Self.connect(candidate, port: address.port) {
      case .success(let socket): connected = (socket, candidate.numeric)
      case .failure(let error): reason = error.reason
      }
    }
    guard let connected else { throw .relayUnreachable(address.title, reason: reason) }
    (socket, numericHost) = (connected.socket, connected.numericHost)
    guard Self.isRelay(socket) else { throw .relayIsOther(address.title) }
    // The data goes to another port, which a firewall may block.
    let data = candidates.first { $0.numeric == connected.numericHost }
      .map { Self.connect($0, port: address.dataPort) }
    switch data {
    case .success(let socket)?: close(socket)
    case .failure(let error)?:
      var dataAddress = address
      dataAddress.port = address.dataPort
      throw .relayUnreachable(dataAddress.title, reason: error.reason)
    case nil: break
    }
  }

  deinit { close(socket) }

  // MARK: - Watching

  /// Calls `lost` once, in another thread, if the relay ends before ``stop()``.
  func watch(_ lost: @escaping @Sendable () -> Void) {
    Thread.detachNewThread { [self] in
      while state.withLock({ $0 }) == .watching {
        guard Self.hasEnded(socket, after: 200) else { continue }
        let isFirst = state.withLock { state in
          guard state == .watching else { return false }
          state = .lost
          return true
        }
        if isFirst { lost() }
      }
    }
  }

  /// Ends the watch.
  ///
  /// - Returns: whether the relay was lost before.
  func stop() -> Bool {
    let isLost = Self.hasEnded(socket, after: 0)
    return state.withLock { state in
      if state == .watching { state = isLost ? .lost : .stopped }
      return state == .lost
    }
  }

  /// The relay sends nothing after the handshake, so any readable data is the end.
  private static func hasEnded(_ socket: Int32, after milliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, milliseconds) > 0 else { return false }
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_DONTWAIT)) <= 0
  }

  // MARK: - Connecting

  private struct Candidate {
    var family: Int32
    var address: [UInt8]
    var numeric: String
  }

  private struct Refusal: Error {
    var reason: String
    init(_ code: Int32) { reason = String(cString: strerror(code)) }
  }

  private static func resolve(_ address: RelayAddress) throws(RecordingError) -> [Candidate] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(address.host, nil, &hints, &list)
    guard code == 0 else {
      throw .relayUnknown(address.host, reason: String(cString: gai_strerror(code)))
    }
    defer { freeaddrinfo(list) }
    var candidates: [Candidate] = []
    var next = list
    while let info = next?.pointee {
      next = info.ai_next
      guard let pointer = info.ai_addr else { continue }
      let bytes = Array(UnsafeRawBufferPointer(start: pointer, count: Int(info.ai_addrlen)))
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard
        getnameinfo(
          pointer, info.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0
      else { continue }
      let numeric = String(
        decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      candidates.append(Candidate(family: info.ai_family, address: bytes, numeric: numeric))
    }
    return candidates
  }

  private static func connect(_ to: Candidate, port: UInt16) -> Result<Int32, Refusal> {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let socket = Glibc.socket(to.family, type, 0)
    guard socket >= 0 else { return .failure(Refusal(errno)) }
    var address = to.address
    // At the same offset in both families.
    withUnsafeBytes(of: port.bigEndian) { address.replaceSubrange(2..<4, with: $0) }
    var code =
      address.withUnsafeBytes { bytes in
        bytes.baseAddress.map {
          Glibc.connect(
            socket, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        } ?? -1
      } == 0 ? 0 : errno
    if code == EINPROGRESS {
      var descriptor = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
      var size = socklen_t(MemoryLayout<Int32>.size)
      if poll(&descriptor, 1, timeout) == 1 {
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size)
      } else {
        code = ETIMEDOUT
      }
    }
    guard code == 0 else {
      close(socket)
      return .failure(Refusal(code))
    }
    keepAlive(socket)
    return .success(socket)
  }

  /// Finds a host that went away without a word within some 25 s.
  private static func keepAlive(_ socket: Int32) {
    for (level, option, value) in [
      (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 10),
      (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
    ] as [(Int32, Int32, Int32)] {
      var value = value
      setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  /// Sends `RELAYD_VERSION` of LTTng's protocol, which each session begins with.
  private static func isRelay(_ socket: Int32) -> Bool {
    // Circuit and size of the rest, 8 bytes each; command 5, its version; version 2.13.
    let request: [UInt8] =
      [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 8] + [0, 0, 0, 5, 0, 0, 0, 0]
      + [0, 0, 0, 2, 0, 0, 0, 13]
    guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      return false
    }
    var answer: [UInt8] = []
    while answer.count < 8 {
      var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, timeout) == 1 else { return false }
      var bytes = [UInt8](repeating: 0, count: 8 - answer.count)
      let count = recv(socket, &bytes, bytes.count, 0)
      guard count > 0 else { return false }
      answer += bytes.prefix(count)
    }
    // Major and minor version, in the order of the network.
    return answer.prefix(4) == [0, 0, 0, 2]
  }
}
