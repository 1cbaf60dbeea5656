// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// One open file, or folder; where a call fails, `errno` holds the reason.
struct DataFile: ~Copyable {
  private let descriptor: Int32

  /// - Parameter isFolder: otherwise it must be a regular file, not a link or a pipe.
  init?(reading path: String, isFolder: Bool = false) {
    let kind = isFolder ? O_DIRECTORY : O_NOFOLLOW | O_NONBLOCK
    descriptor = open(path, O_RDONLY | O_CLOEXEC | kind)
    guard descriptor >= 0 else { return nil }
  }

  /// Makes a file that is not there yet.
  init?(making path: String, _ access: FileAccess) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, access.mode)
    guard descriptor >= 0, setAccess(access) else { return nil }
  }

  /// A file that text is added to at its end, made if it does not exist.
  init?(appendingTo path: String, _ access: FileAccess) {
    let exists = Glibc.access(path, F_OK) == 0
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    descriptor = open(path, flags, access.mode)
    guard descriptor >= 0, exists || setAccess(access) else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// In bytes; nil if it is not a regular file.
  var size: Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG else {
      errno = EINVAL
      return nil
    }
    return Int(status.st_size)
  }

  func contents() -> Data? {
    guard let size else { return nil }
    guard size > 0 else { return Data() }
    guard let bytes = malloc(size) else { return nil }
    var count = 0
    while count < size {
      let read = Glibc.read(descriptor, bytes + count, size - count)
      if read < 0, errno == EINTR { continue }
      guard read > 0 else {
        if read == 0 { errno = EIO }
        free(bytes)
        return nil
      }
      count += read
    }
    return Data(bytesNoCopy: bytes, count: size, deallocator: .free)
  }

  func write(_ data: Data) -> Bool {
    data.withUnsafeBytes { bytes in
      var bytes = bytes
      while !bytes.isEmpty {
        let written = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return false }
        bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(written))
      }
      return true
    }
  }

  /// Sets the permissions, whatever the process's umask removes.
  func setAccess(_ access: FileAccess) -> Bool {
    // As SQLite does for the log: only root can set an owner.
    if geteuid() == 0, fchown(descriptor, access.owner, access.group) != 0 { return false }
    return fchmod(descriptor, access.mode) == 0
  }

  /// Waits until the disk has it.
  func sync() -> Bool { fsync(descriptor) == 0 }

  /// The reason why a file could not be read, from `errno`.
  static func problem(_ path: String) -> ExternalDataProblem {
    errno == ENOENT
      ? .missing(path: path) : .unreadable(path: path, reason: String(cString: strerror(errno)))
  }
}

/// Who may read and write a file.
struct FileAccess {
  let mode: mode_t
  let owner: uid_t
  let group: gid_t

  private init(_ mode: mode_t, _ owner: uid_t, _ group: gid_t) {
    self.mode = mode
    self.owner = owner
    self.group = group
  }

  /// The owner of an existing file; the process's user if it does not exist.
  init(of path: String) {
    var status = stat()
    self =
      stat(path, &status) == 0
      ? FileAccess(status.st_mode & 0o666, status.st_uid, status.st_gid)
      : FileAccess(0o600, geteuid(), getegid())
  }

  /// That of a folder with such files: a user who may read them may enter it.
  var ofFolder: FileAccess { FileAccess(mode | (mode & 0o444) >> 2, owner, group) }
}

extension StoreError {
  /// The reason why a file could not be written.
  init(externalData path: String, _ code: Int32) {
    self =
      code == ENOSPC || code == EDQUOT
      ? .full(path: path)
      : .cannotWriteExternalData(path: path, reason: String(cString: strerror(code)))
  }
}
