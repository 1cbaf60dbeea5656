// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Opens the file of a log, folder by folder, without following what another user may have put there.
///
///     /var/log/store.log    a link is followed: only root writes /var/log
///     /tmp/store.log        a link is not: everybody writes /tmp
enum LogFile {
  private static let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK
  // As many as the kernel follows.
  private static let maxLinks = 40
  // O_PATH, which glibc hides unless _GNU_SOURCE is defined: /usr/include/bits/fcntl-linux.h.
  private static let pathOnly: Int32 = 0o10_000_000

  /// Opens a file to append to, which is made if need be.
  ///
  /// - Returns: the descriptor; less than 0 on an error, which is in `errno`: `ELOOP` for a link that
  ///   is not followed.
  static func open(_ path: String) -> Int32 {
    guard !path.isEmpty else { return failure(ENOENT) }
    var names = components(path)
    var folder = start(path)
    var links = 0
    defer { if folder >= 0 { close(folder) } }
    while folder >= 0, let name = names.popFirst() {
      let opened = step(into: name, of: folder, isLast: names.isEmpty)
      if opened >= 0 {
        guard !names.isEmpty else { return opened }
        close(folder)
        folder = opened
        continue
      }
      let code = errno
      guard code == ELOOP || code == ENOTDIR, let target = link(name, in: folder) else {
        return failure(code)
      }
      links += 1
      guard links <= maxLinks, isOurs(folder) else { return failure(ELOOP) }
      // The kernel alone can follow the links of /proc/self/fd, such as `pipe:[2367]`.
      if target.contains(":[") {
        return names.isEmpty ? openat(folder, name, flags, 0o600) : failure(ELOOP)
      }
      names = components(target) + names
      if target.hasPrefix("/") {
        close(folder)
        folder = start(target)
      }
    }
    return folder < 0 ? -1 : failure(EISDIR)
  }

  private static func components(_ path: String) -> ArraySlice<String> {
    path.split(separator: "/").map(String.init)[...]
  }

  private static func start(_ path: String) -> Int32 {
    Glibc.open(path.hasPrefix("/") ? "/" : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | pathOnly)
  }

  private static func step(into name: String, of folder: Int32, isLast: Bool) -> Int32 {
    isLast
      ? openat(folder, name, flags | O_NOFOLLOW, 0o600)
      : openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW | pathOnly)
  }

  private static func link(_ name: String, in folder: Int32) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(folder, name, &target, target.count)
    guard count > 0 else { return nil }
    return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether only root and we ourselves can put a link into a folder.
  private static func isOurs(_ folder: Int32) -> Bool {
    var status = stat()
    guard fstat(folder, &status) == 0 else { return false }
    return status.st_mode & 0o022 == 0 && (status.st_uid == 0 || status.st_uid == geteuid())
  }

  private static func failure(_ code: Int32) -> Int32 {
    errno = code
    return -1
  }
}
