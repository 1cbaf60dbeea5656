// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Copies a database with its log out of `/proc/PID/fd`, so that both are of one state.
///
/// The files are copied again until nothing that a commit or a reset of the log changes differs before
/// and after. A checkpoint does no harm: the frames that it copies stay in the log until the reset.
public struct FileRescue {
  /// The copied files.
  public private(set) var paths: [String] = []
  /// The frames that the log had in use.
  public private(set) var frames: UInt32 = 0
  /// The transactions of the log.
  public private(set) var transactions: UInt64 = 0

  // Arbitrary: a program that commits all the time leaves a pause of some milliseconds in a few of them.
  private static let attempts = 50

  /// The file stamps that a commit or a reset of the log changes.
  private struct Stamp: Equatable {
    var changeCounter: UInt32
    var logHeader: [UInt8]
    var frames: UInt32
    var journalHeader: [UInt8]
    /// Without a log: the time of the last write.
    var written: [Int]

    /// Whether there were only commits to the same log since.
    func isLater(than other: Self) -> Bool {
      !logHeader.isEmpty && logHeader == other.logHeader && frames != .max && other.frames != .max
        && frames >= other.frames
    }

    /// The byte behind the last frame in use.
    var logEnd: off_t {
      let pageSize = Int(IntegerReader(logHeader, bigEndian: true).uint32(8))
      return off_t(WALFile.headerSize) + off_t(frames) * off_t(pageSize + 24)
    }
  }

  /// Copies the files into a folder, which must be empty.
  public init(_ source: RescueSource, to folder: String) throws(RescueError) {
    let room = Self.room(in: folder)
    guard room > source.size else {
      throw .noRoom(needed: source.size, free: room, folder: folder)
    }
    for attempt in 0..<Self.attempts {
      let before = Self.stamp(of: source)
      paths = []
      for file in source.files {
        let target = "\(folder)/\(source.name)\(file.suffix)"
        let code = Self.copy(file.path, to: target, isAgain: attempt > 0)
        guard code == 0 else { throw .notCopied(target, code: code) }
        paths.append(target)
      }
      guard let end = try addCommits(of: source, since: before) else {
        usleep(useconds_t(1_000 * (attempt + 1)))
        continue
      }
      frames = end.frames
      if let log = paths.first(where: { $0.hasSuffix("-wal") }) {
        let copied = WALFrames(path: log)
        guard (copied?.committed ?? 0) >= frames else {
          throw .cutLog(log, frames: copied?.committed ?? 0, of: frames)
        }
        transactions = UInt64(copied?.commits.count ?? 0)
      }
      return
    }
    throw .neverStill(source.process)
  }

  /// Copies transactions committed meanwhile to the end of the log, until nothing has changed.
  ///
  /// - Returns: the state of the copy; nil if the log was reset, or the program never stood still.
  private func addCommits(
    of source: RescueSource, since start: Stamp
  ) throws(RescueError) -> Stamp? {
    var last = start
    for _ in 0..<Self.attempts {
      let now = Self.stamp(of: source)
      if now == last { return now }
      guard now.isLater(than: last), let log = source.log,
        let target = paths.first(where: { $0.hasSuffix("-wal") })
      else { return nil }
      let code = Self.copy(log, to: target, from: last.logEnd)
      guard code == 0 else { throw .notCopied(target, code: code) }
      last = now
    }
    return nil
  }

  private static func stamp(of source: RescueSource) -> Stamp {
    var status = stat()
    let hasStatus = stat(source.database, &status) == 0
    let header = FileBytes.read(source.database, count: 100).map { DatabaseHeader($0.bytes) }
    let index = source.index.flatMap { FileBytes.read($0, count: WALIndex.size) }
      .flatMap { WALIndex($0.bytes) }
    let log = source.log.flatMap { FileBytes.read($0, count: WALFile.headerSize)?.bytes } ?? []
    let hasTime = hasStatus && source.log == nil
    return Stamp(
      // A checkpoint copies pages that the log still has.
      changeCounter: log.isEmpty ? header?.changeCounter ?? 0 : 0, logHeader: log,
      // Without a -shm file the log itself shows its end.
      frames: index.map { $0.validity == .valid ? $0.frames : .max }
        ?? source.log.flatMap { WALFrames(path: $0)?.committed } ?? 0,
      journalHeader: source.journal.flatMap { FileBytes.read($0, count: 28)?.bytes } ?? [],
      written: hasTime
        ? [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(status.st_size)] : [])
  }

  private static func room(in folder: String) -> UInt64 {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return 0 }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }

  /// Copies a file from an offset to its end; the file of the copy is new, unless an offset is passed.
  ///
  /// - Returns: an errno.
  private static func copy(
    _ from: String, to path: String, isAgain: Bool = false, from offset: off_t? = nil
  ) -> Int32 {
    // The file of an earlier attempt is this program's own.
    if isAgain { unlink(path) }
    let source = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard source >= 0 else { return errno }
    defer { close(source) }
    let creation = offset == nil ? O_CREAT | O_EXCL : 0
    let target = open(path, O_WRONLY | creation | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard target >= 0 else { return errno }
    defer { close(target) }
    lseek(source, offset ?? 0, SEEK_SET)
    lseek(target, offset ?? 0, SEEK_SET)
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return errno }
      guard count > 0 else { break }
      var done = 0
      while done < count {
        let written = buffer.withUnsafeBytes {
          write(target, $0.baseAddress?.advanced(by: done), count - done)
        }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return errno }
        done += written
      }
    }
    return fsync(target) == 0 ? 0 : errno
  }
}

/// Why files could not be rescued.
public enum RescueError: Error, Hashable, Sendable {
  case noRoom(needed: UInt64, free: UInt64, folder: String)
  case notCopied(String, code: Int32)
  case cutLog(String, frames: UInt32, of: UInt32)
  /// The program committed during each attempt.
  case neverStill(LockingProcess)
}

extension RescueError: CustomStringConvertible {
  /// One sentence: the problem, and the advice.
  public var description: String {
    switch self {
    case .noRoom(let needed, let free, let folder):
      "the copy takes \(needed) bytes, and '\(folder)' has \(free); name a folder on another disk"
    case .notCopied(let path, let code):
      "'\(path)' cannot be written: \(String(cString: strerror(code))); name another folder"
    case .cutLog(let path, let frames, let all):
      "'\(path)' has \(frames) of the \(all) frames of the log: the others are missing; keep the "
        + "program running, and try again"
    case .neverStill(let process):
      "\(process.program)[\(process.pid)] committed during each copy, so the log and the database in it "
        + "are of different states; stop it for a moment (kill -STOP \(process.pid)), try again, and "
        + "continue it (kill -CONT \(process.pid))"
    }
  }
}
