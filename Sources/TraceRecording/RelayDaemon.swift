// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import StoreEvents

/// A relay daemon of our own, which passes the events of a live session on to its reader.
///
/// It listens on this machine only, at ports that were free, and keeps what it passes on in a
/// private folder:
///
///     /tmp/trace-report-1000/relay-2367/     of the recorder with that process id
///       daemon                               the daemon's process id
///       traces/                              what it passes on
struct RelayDaemon {
  private let folder: String
  private let process: pid_t
  private let ports: [UInt16]

  /// Where it keeps what it passes on.
  var traces: String { "\(folder)/traces" }

  /// What `lttng create` takes.
  var url: String { "net://127.0.0.1:\(ports[0]):\(ports[1])/" }

  /// What libbabeltrace2 takes.
  func address(ofSession name: String) -> String {
    "net://127.0.0.1:\(ports[2])/host/\(HostName.current)/\(name)"
  }

  // MARK: - Starting

  /// - Throws: ``RecordingError`` if it does not start.
  static func start(in directory: RuntimeDirectory) throws(RecordingError) -> RelayDaemon {
    try TracedProgram.check(["lttng-relayd"])
    let folder = "\(directory.path)/\(folderPrefix)\(getpid())"
    var reason = "no port is free"
    // Another process may take a port between our check and the daemon's bind.
    for _ in 1...3 {
      guard let ports = freePorts(3) else { continue }
      let process = try spawn(in: folder, ports: ports)
      let relay = RelayDaemon(folder: folder, process: process, ports: ports)
      if relay.answers() { return relay }
      relay.end()
      reason = "it does not answer at port \(ports[2])"
    }
    throw .relayDidNotStart(reason: reason)
  }

  private static func spawn(in folder: String, ports: [UInt16]) throws(RecordingError) -> pid_t {
    do {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/traces", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch { throw .directoryUnusable(folder, code: EACCES) }
    let command =
      ["lttng-relayd", "--output=\(folder)/traces"]
      + zip(["control", "data", "live"], ports).map { "--\($0)-port=tcp://127.0.0.1:\($1)" }
    let (pid, code) = BackgroundProcess.spawn(command)
    guard code == 0 else { throw .relayDidNotStart(reason: String(cString: strerror(code))) }
    try? "\(pid)\n".write(toFile: "\(folder)/daemon", atomically: true, encoding: .utf8)
    return pid
  }

  /// Waits until the daemon takes readers; false if it ended, or five seconds have passed.
  private func answers() -> Bool {
    for _ in 1...250 {
      if Self.connects(to: ports[2]) { return true }
      var status: Int32 = 0
      if waitpid(process, &status, WNOHANG) == process { return false }
      usleep(20_000)
    }
    return false
  }

  // MARK: - Ending

  /// Ends the daemon, and removes what it kept.
  func end() {
    kill(process, SIGTERM)
    var status: Int32 = 0
    // Five seconds; a daemon that hangs has nothing to lose.
    for attempt in 1...500 {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process || (ended < 0 && errno == ECHILD) { break }
      if attempt == 500 { kill(process, SIGKILL) }
      usleep(10_000)
    }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Ends the daemons of recorders that were killed.
  static func endAbandoned(in directory: RuntimeDirectory) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    for name in names where name.hasPrefix(folderPrefix) {
      guard let recorder = pid_t(name.dropFirst(folderPrefix.count)),
        !SessionDaemon.isRunning(recorder)
      else { continue }
      let folder = "\(directory.path)/\(name)"
      // The number may be another program's by now.
      if let pid = RuntimeDirectory.processID(inFile: "\(folder)/daemon"),
        RuntimeDirectory.text(ofFile: "/proc/\(pid)/cmdline", limit: 4096)?
          .contains("--output=\(folder)/") == true
      {
        kill(pid, SIGTERM)
      }
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  private static let folderPrefix = "relay-"

  // MARK: - The network

  /// Ports without a listener, all held until the last is found.
  private static func freePorts(_ count: Int) -> [UInt16]? {
    let sockets = (0..<count).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
    defer { for socket in sockets where socket >= 0 { close(socket) } }
    let ports = sockets.compactMap { socket -> UInt16? in
      var address = loopback(port: 0)
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
        }
      }
      return isBound ? UInt16(bigEndian: address.sin_port) : nil
    }
    return ports.count == count ? ports : nil
  }

  private static func connects(to port: UInt16) -> Bool {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard socket >= 0 else { return false }
    defer { close(socket) }
    var address = loopback(port: port)
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}
