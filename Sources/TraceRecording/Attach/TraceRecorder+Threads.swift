// SPDX-License-Identifier: Apache-2.0

import Glibc

extension TraceRecorder {
  /// Loads the probe into a process, and reads where its threads are.
  ///
  /// - Returns: nil if their lines are unknown: the process runs no Python.
  /// - Throws: ``RecordingError``, also where the interpreter's lock was not released in time.
  public static func threads(of process: Int32) throws(RecordingError) -> [ProgramThread]? {
    let injector = try injector(for: process)
    let path = "\(try RuntimeDirectory().path)/threads-\(getpid())"
    unlink(path)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .outputUnusable(path, code: errno) }
    close(file)
    defer { unlink(path) }
    try passOwnership(of: [path], to: process)
    try injector.appendThreads(to: path)
    for _ in 1...threadsTries {
      let text = RuntimeDirectory.text(ofFile: path, limit: maxThreadsText) ?? ""
      if text.hasSuffix("unknown\n") { return nil }
      if text.hasSuffix("end\n") {
        return text.split(separator: "\n").compactMap(ProgramThread.init)
      }
      usleep(20_000)
    }
    throw .notAttachable(
      process, reason: "its interpreter did not release its lock within 2 s; try again")
  }

  /// Whether the lines of its threads can be known.
  static func runsPython(_ process: Int32) -> Bool {
    let target = AttachTarget(process: process)
    let files = target.mappedFiles + [target.executable ?? ""]
    return files.contains { ($0.split(separator: "/").last ?? "").contains("python") }
  }

  private static let threadsTries = 100
  // Arbitrary: some thousand threads.
  private static let maxThreadsText = 1 << 20
}
