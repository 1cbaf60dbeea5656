// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The folder in which recordings of one user find each other, and in which their daemon lives.
///
///     /tmp/trace-report-1000/      0700; LTTNG_HOME of the daemon
///       starting                   held alone while a daemon is started or ended
///       recording                  held together by all who record
///       daemon                     the id and the start time of a daemon of ours
struct RuntimeDirectory {
  let path: String

  /// - Throws: ``RecordingError`` if the folder cannot be made, or is not ours alone.
  init() throws(RecordingError) {
    // Not $TMPDIR: a socket's path has at most 107 bytes.
    path = "/tmp/trace-report-\(geteuid())"
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw .runtimeDirectoryMissing(path, code: errno)
    }
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == geteuid(), status.st_mode & 0o022 == 0
    else { throw .runtimeDirectoryUnsafe(path) }
    // Others could only read it so far: nothing in it can be theirs.
    if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 {
      throw .directoryUnusable(path, code: errno)
    }
  }

  func lock(_ name: String) throws(RecordingError) -> FileLock { try FileLock("\(path)/\(name)") }

  /// The daemon that a recording started, if it runs.
  var daemon: ProcessMark? { ProcessMark(file: daemonFile) }
  var daemonFile: String { "\(path)/daemon" }

  static func processID(inFile path: String) -> pid_t? {
    text(ofFile: path, limit: 32).flatMap { pid_t($0.prefix { $0 != "\n" }) }
  }

  static func text(ofFile path: String, limit: Int) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = max(read(file, &bytes, bytes.count), 0)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}

/// A lock that ends with its holder, however that ends.
final class FileLock {
  private let descriptor: Int32

  init(_ path: String) throws(RecordingError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .directoryUnusable(path, code: errno) }
  }

  deinit { close(descriptor) }

  func lock() { while flock(descriptor, LOCK_EX) != 0, errno == EINTR {} }
  func share() { while flock(descriptor, LOCK_SH) != 0, errno == EINTR {} }
  func unlock() { _ = flock(descriptor, LOCK_UN) }
  /// Whether no other process holds the lock; we hold it exclusively then.
  func lockIfFree() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}
