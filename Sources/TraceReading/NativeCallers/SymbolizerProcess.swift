// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A running `llvm-symbolizer` or `addr2line`, which is queried line by line.
final class SymbolizerProcess {
  private let process: pid_t
  private let socket: CInt
  private var received: [UInt8] = []
  private var isUsable = true
  // 60 s is arbitrary: the first question about a large program reads all its debug information.
  private static let patience: CInt = 60_000

  /// Nil if the program does not start.
  init?(_ program: String, _ arguments: [String]) {
    var pair: (CInt, CInt) = (-1, -1)
    let isPaired = withUnsafeMutableBytes(of: &pair) {
      // A socket, because writing to a process that has ended must not end this one.
      socketpair(
        AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0,
        $0.assumingMemoryBound(to: CInt.self).baseAddress) == 0
    }
    guard isPaired else { return nil }
    defer { close(pair.1) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pair.1, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, pair.1, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    // It is not to fetch debug information from the network, nor to be observed itself.
    let left = ["DEBUGINFOD_URLS=", "LD_PRELOAD=", "STORE_SQL_DEBUG"]
    var variables: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let variable = next.pointee {
      if !left.contains(where: { strncmp($0, variable, strlen($0)) == 0 }) {
        variables.append(variable)
      }
      next += 1
    }
    variables.append(nil)
    var process: pid_t = 0
    let code = posix_spawnp(&process, program, &actions, nil, &words, &variables)
    for word in words { free(word) }
    guard code == 0 else {
      close(pair.0)
      return nil
    }
    self.process = process
    socket = pair.0
  }

  deinit {
    close(socket)
    kill(process, SIGKILL)
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  /// Sends a request and returns the lines before the one that ends its response.
  ///
  /// - Returns: nil if there is no response, now and in the future.
  func answer(to question: String, endsAnswer: (Substring) -> Bool) -> [Substring]? {
    guard isUsable, send(question + "\n") else {
      isUsable = false
      return nil
    }
    var lines: [Substring] = []
    while let line = nextLine() {
      if endsAnswer(line) { return lines }
      lines.append(line)
    }
    isUsable = false
    return nil
  }

  private func send(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func nextLine() -> Substring? {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeSubrange(...end)
        return line[...]
      }
      var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      let isReady = poll(&state, 1, Self.patience)
      if isReady < 0, errno == EINTR { continue }
      guard isReady > 0 else { return nil }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(socket, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      received += buffer[..<count]
    }
  }
}
