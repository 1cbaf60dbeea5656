// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A program that runs beside a test, with a pipe to its standard input and one from its output.
///
/// Not Foundation's Process: its children inherit the pipes of programs that other tests run at the
/// same time, and keep them open.
final class BackgroundProgram {
  let pid: pid_t
  private let input: Int32
  private let output: Int32
  private var isRunning = true

  /// - Parameter inputFile: what it reads in place of the pipe.
  init(_ command: [String], inputFile: String? = nil) throws {
    let (toProgram, fromProgram) = (try Self.pipe(), try Self.pipe())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let inputFile {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, inputFile, O_RDONLY, 0)
    } else {
      posix_spawn_file_actions_adddup2(&actions, toProgram.end, STDIN_FILENO)
    }
    posix_spawn_file_actions_adddup2(&actions, fromProgram.begin, STDOUT_FILENO)
    var arguments = (Self.closingFiles + command).map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var pid = pid_t()
    let code = posix_spawnp(&pid, "bash", &actions, nil, &arguments, environ)
    try #require(code == 0, "\(command[0]): \(String(cString: strerror(code)))")
    self.pid = pid
    (input, output) = (toProgram.begin, fromProgram.end)
    close(toProgram.end)
    close(fromProgram.begin)
  }

  deinit {
    end()
    close(input)
    close(output)
  }

  /// A shell that closes what it inherits but the standard streams, and becomes the program.
  private static let closingFiles = [
    "bash", "-c",
    """
    for file in /proc/self/fd/*; do
      number=${file##*/}
      if [ "$number" -gt 2 ]; then eval "exec $number>&-"; fi
    done
    exec "$@"
    """, "bash",
  ]

  /// The ends to write to and to read from, closed in programs that others start.
  private static func pipe() throws -> (begin: Int32, end: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(Glibc.pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[1], ends[0])
  }

  func write(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    #expect(Glibc.write(input, bytes, bytes.count) == bytes.count)
  }

  /// One line of its output, without its end.
  func readLine() -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  func end() {
    guard isRunning else { return }
    isRunning = false
    kill(pid, SIGKILL)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
  }
}
