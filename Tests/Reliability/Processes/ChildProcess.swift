// SPDX-License-Identifier: Apache-2.0

public import Glibc

/// Another process, controlled by lines; killed when it is released.
///
/// Not a Subprocess: the moment of its end matters here, and its output until then.
public final class ChildProcess {
  public let id: pid_t
  private let socket: Int32
  private let output: UnsafeMutablePointer<FILE>
  private var isRunning = true

  /// Starts a program with its standard input and output here.
  public init(_ path: String, _ arguments: [String]) throws {
    // Not pipes: they cannot be made so that no other child inherits them.
    var ends: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0, let output = fdopen(ends[0], "r")
    else { throw LedgerError("no sockets: \(String(cString: strerror(errno)))") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, path, &actions, nil, &words, environ)
    close(ends[1])
    self.id = id
    self.output = output
    socket = ends[0]
    guard code == 0 else {
      isRunning = false
      throw LedgerError("cannot start \(path): \(String(cString: strerror(code)))")
    }
  }

  deinit {
    kill()
    fclose(output)
  }

  /// The next line of its output, for which it waits; nil at the end.
  public func readLine() -> String? {
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    guard getline(&line, &capacity, output) > 0, let line else { return nil }
    let text = String(cString: line)
    // A line that was cut by the end does not count.
    return text.last == "\n" ? String(text.dropLast()) : nil
  }

  /// Puts a line into its input.
  public func write(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Writes a line and returns the answer.
  public func ask(_ line: String) -> String? {
    write(line)
    return readLine()
  }

  /// Ends it by SIGKILL, if it still runs, and waits until it is gone.
  public func kill() {
    guard isRunning else { return }
    Glibc.kill(id, SIGKILL)
    _ = wait()
  }

  /// Waits until it has ended, and returns its exit code, or 128 and the signal that ended it.
  public func wait() -> Int32 {
    guard isRunning else { return -1 }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    isRunning = false
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
  }
}
