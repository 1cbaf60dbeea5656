// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A headless Chromium, driven over the DevTools protocol through two pipes.
///
/// It reads commands from its file descriptor 3 and writes answers and events to 4, JSON that ends
/// in a zero byte: no port is opened. See
/// <https://chromedevtools.github.io/devtools-protocol/>.
final class Chromium {
  /// JSON as `JSONSerialization` has it.
  typealias JSON = [String: Any]

  struct Failure: Error, CustomStringConvertible { var description: String }

  /// The program to run; nil if the browser tests are not enabled.
  static var program: String? { ProcessInfo.processInfo.environment["BROWSER"] }

  // A busy machine may take its time; a hang must end all the same.
  private static let patience: TimeInterval = 120

  private let process: pid_t
  private let commands: Int32
  private let answers: Int32
  private let profile: URL
  private var buffer = Data()
  private var lastID = 0
  /// Events that no test has read yet, oldest first.
  private(set) var events: [JSON] = []

  init(_ program: String) throws {
    profile = FileManager.default.temporaryDirectory.appending(path: "browser-\(UUID().uuidString)")
    let down = try Self.pipe()
    let up = try Self.pipe()
    defer {
      close(down.read)
      close(up.write)
    }
    (commands, answers) = (down.write, up.read)
    process = try Self.spawn(
      program,
      [
        "--headless", "--remote-debugging-pipe", "--user-data-dir=\(profile.path)",
        "--no-first-run",
        // As root, as in a container, there is no sandbox; and /dev/shm may be small there.
        "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-extensions",
        "--disable-background-networking", "--disable-renderer-backgrounding",
        "--disable-backgrounding-occluded-windows", "--disable-component-update",
        "--no-default-browser-check",
        "--force-color-profile=srgb", "about:blank",
      ], input: down.read, output: up.write)
  }

  deinit {
    close(commands)
    close(answers)
    // Its helpers are of its process group.
    kill(-process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    try? FileManager.default.removeItem(at: profile)
  }

  // MARK: - Messages

  /// Sends a command and waits for its answer.
  @discardableResult
  func send(_ method: String, _ parameters: JSON = [:], session: String? = nil) throws -> JSON {
    lastID += 1
    var message: JSON = ["id": lastID, "method": method, "params": parameters]
    if let session { message["sessionId"] = session }
    try write(JSONSerialization.data(withJSONObject: message) + [0])
    let deadline = Date.now + Self.patience
    while true {
      let answer = try read(until: deadline, waitingFor: method)
      guard answer["id"] as? Int == lastID else {
        events.append(answer)
        continue
      }
      if let error = answer["error"] as? JSON {
        throw Failure(description: "\(method): \(error["message"] ?? error)")
      }
      return answer["result"] as? JSON ?? [:]
    }
  }

  /// The window that it opened.
  func firstPage() throws -> String {
    let deadline = Date.now + Self.patience
    while Date.now < deadline {
      let targets = try send("Target.getTargets")["targetInfos"] as? [JSON] ?? []
      if let page = targets.first(where: { $0["type"] as? String == "page" }) {
        return page["targetId"] as? String ?? ""
      }
      usleep(20_000)
    }
    throw Failure(description: "the browser opened no window")
  }

  /// Waits for an event, earlier ones included, and removes it.
  func event(_ method: String) throws -> JSON {
    let deadline = Date.now + Self.patience
    while true {
      if let index = events.firstIndex(where: { $0["method"] as? String == method }) {
        return events.remove(at: index)["params"] as? JSON ?? [:]
      }
      events.append(try read(until: deadline, waitingFor: method))
    }
  }

  private func write(_ data: Data) throws {
    try data.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Glibc.write(commands, bytes.baseAddress?.advanced(by: sent), bytes.count - sent)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw Failure(description: "the browser has gone") }
        sent += count
      }
    }
  }

  private func read(until deadline: Date, waitingFor what: String) throws -> JSON {
    while true {
      if let end = buffer.firstIndex(of: 0) {
        let message = buffer[buffer.startIndex..<end]
        buffer.removeSubrange(buffer.startIndex...end)
        return try JSONSerialization.jsonObject(with: message) as? JSON ?? [:]
      }
      try fill(until: deadline, waitingFor: what)
    }
  }

  private func fill(until deadline: Date, waitingFor what: String) throws {
    var descriptor = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
    let left = Int32(clamping: Int(deadline.timeIntervalSinceNow * 1000))
    guard left > 0, poll(&descriptor, 1, left) >= 0 else {
      throw Failure(description: "no answer to \(what) in \(Self.patience) s")
    }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(answers, &chunk, chunk.count)
    if count < 0, errno == EINTR { return }
    guard count > 0 else {
      throw Failure(description: "the browser ended while it was to answer \(what)")
    }
    buffer += chunk[..<count]
  }

  // MARK: - The process

  /// A pipe with ends above the descriptors that the browser wants, which close on exec.
  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw Failure(description: "no pipe: \(errno)") }
    defer { for end in ends { close(end) } }
    return (fcntl(ends[0], F_DUPFD_CLOEXEC, 20), fcntl(ends[1], F_DUPFD_CLOEXEC, 20))
  }

  private static func spawn(
    _ program: String, _ arguments: [String], input: Int32, output: Int32
  ) throws -> pid_t {
    signal(SIGPIPE, SIG_IGN)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 3)
    posix_spawn_file_actions_adddup2(&actions, output, 4)
    for descriptor in 0...2 as ClosedRange<Int32> {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var process: pid_t = 0
    let status = posix_spawnp(&process, program, &actions, &attributes, words, environ)
    guard status == 0 else {
      throw Failure(description: "cannot run \(program): \(String(cString: strerror(status)))")
    }
    return process
  }
}
