// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The folder in which recordings of one user find each other, and in which their daemon lives.
///
///     /tmp/trace-report-1000/      0700, root's 0711; LTTNG_HOME of the daemon
///       starting                   held alone while a daemon is started or ended
///       recording                  held together by all who record
///       daemon                     the id and the start time of a daemon of ours
///       2367-1804289383/           the same of the recorder 2367, which began beside others
struct RuntimeDirectory {
  let path: String
  /// Whether it is of one recorder.
  private let isOfOne: Bool

  /// A program of root's may have become another user's before it looks for the daemon's socket.
  static let mode: mode_t = geteuid() == 0 ? 0o711 : 0o700

  /// - Throws: ``RecordingError`` if the folder cannot be made, or is not ours alone.
  init() throws(RecordingError) {
    // Not $TMPDIR: a socket's path has at most 107 bytes.
    try self.init("/tmp/trace-report-\(geteuid())", isOfOne: false)
  }

  private init(_ path: String, isOfOne: Bool) throws(RecordingError) {
    (self.path, self.isOfOne) = (path, isOfOne)
    if mkdir(path, Self.mode) != 0, errno != EEXIST {
      throw .runtimeDirectoryUnusable(path, code: errno)
    }
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == geteuid(), status.st_mode & 0o022 == 0
    else { throw .runtimeDirectoryUnsafe(path) }
    // Others could only read it so far: nothing in it can be theirs. And mkdir obeys the umask.
    if status.st_mode & 0o777 != Self.mode, chmod(path, Self.mode) != 0 {
      throw .runtimeDirectoryUnusable(path, code: errno)
    }
  }

  /// A folder of one recorder, and the lock that its recorder holds while it runs.
  typealias Claimed = (directory: RuntimeDirectory, recording: FileLock)

  /// Makes the folder of this recorder; only with the lock `starting`.
  func claim() throws(RecordingError) -> Claimed {
    let name = "\(getpid())-\(UInt32.random(in: 0 ... .max))"
    let own = try RuntimeDirectory("\(path)/\(name)", isOfOne: true)
    let recording = try own.lock("recording")
    recording.share()
    return (own, recording)
  }

  /// Takes over the folders of recorders that have ended.
  func claimAbandoned() throws(RecordingError) -> [Claimed] {
    let starting = try lock("starting")
    starting.lock()
    defer { starting.unlock() }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    var found: [Claimed] = []
    for name in names where name.first?.isNumber == true {
      let directory = try RuntimeDirectory("\(path)/\(name)", isOfOne: true)
      let recording = try directory.lock("recording")
      if recording.lockIfFree() { found.append((directory, recording)) }
    }
    return found
  }

  /// Removes the folder of one recorder; the shared one stays.
  func remove() { if isOfOne { try? FileManager.default.removeItem(atPath: path) } }

  func lock(_ name: String) throws(RecordingError) -> FileLock {
    do {
      return try FileLock("\(path)/\(name)")
    } catch {
      guard case .directoryUnusable(_, let code) = error else { throw error }
      throw .runtimeDirectoryUnusable(path, code: code)
    }
  }

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
