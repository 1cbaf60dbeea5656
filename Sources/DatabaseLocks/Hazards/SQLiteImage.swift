// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// A program or a library that contains SQLite, found by the id of its source.
///
///     2022-12-28 14:03:47 df5c253c0b3dd24916e4ec7cf77d3db5294cc9fd45ae7b9c5e82ad8197f3alt1
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_source_id.html>
public struct SQLiteImage: Hashable, Sendable {
  /// The file, as the process names it.
  public var path: String
  /// The date of its source: `2022-12-28`.
  public var date: String
  /// `3.40.1`; nil if the file contains several texts that look like a version.
  public var version: String?

  /// Whether it has the fix of the race between a checkpoint and the reset of the log.
  ///
  /// 3.51.3 has it, and the backports 3.50.7 and 3.44.6; an unknown version is judged by its date.
  ///
  /// Related SQLite documentation: <https://www.sqlite.org/wal.html>
  public var hasResetFix: Bool {
    version.flatMap(SQLiteVersion.hasResetFix) ?? (date >= "2026-03-13")
  }

  /// `SQLite 3.40.1`.
  public var name: String { version.map { "SQLite \($0)" } ?? "SQLite of \(date)" }
}

extension SQLiteImage {
  /// Searches the bytes of a file that a process has mapped.
  ///
  /// - Returns: nil for a file without SQLite, or one that cannot be read.
  init?(path: String, file: String) {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size > 0,
      let memory = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0),
      memory != MAP_FAILED
    else { return nil }
    defer { munmap(memory, Int(status.st_size)) }
    self.init(path: path, UnsafeRawBufferPointer(start: memory, count: Int(status.st_size)))
  }

  init?(path: String, _ bytes: UnsafeRawBufferPointer) {
    guard let date = Self.sourceDate(in: bytes) else { return nil }
    self.path = path
    self.date = date
    let versions = Self.versions(in: bytes)
    version = versions.count == 1 ? versions.first : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Calls a function with each position of a byte, until it returns a value.
  private static func first<Value>(
    _ byte: Character, in bytes: UnsafeRawBufferPointer, _ body: (Int) -> Value?
  ) -> Value? {
    guard let start = bytes.baseAddress, let value = byte.asciiValue else { return nil }
    var offset = 0
    while offset < bytes.count,
      let found = memchr(start + offset, Int32(value), bytes.count - offset)
    {
      let position = UnsafeRawPointer(found) - start
      if let result = body(position) { return result }
      offset = position + 1
    }
    return nil
  }

  /// Finds `2022-12-28 14:03:47 ` and 40 or more hexadecimal digits by its first colon.
  private static func sourceDate(in bytes: UnsafeRawBufferPointer) -> String? {
    let pattern = Array("0000-00-00 00:00:00 ".utf8)
    return first(":", in: bytes) { colon in
      let begin = colon - 13
      guard begin >= 0, begin + pattern.count + 40 <= bytes.count, bytes[colon + 3] == 0x3a else {
        return nil
      }
      for (index, expected) in pattern.enumerated() {
        let byte = bytes[begin + index]
        guard expected == 0x30 ? isDigit(byte) : byte == expected else { return nil }
      }
      let hash = bytes[(begin + pattern.count)..<(begin + pattern.count + 40)]
      guard hash.allSatisfy({ isDigit($0) || (0x61...0x66).contains($0) }) else { return nil }
      return String(decoding: bytes[begin..<begin + 10], as: UTF8.self)
    }
  }

  /// The texts like `3.40.1` that stand alone; SQLite had its log from 3.7 on.
  private static func versions(in bytes: UnsafeRawBufferPointer) -> Set<String> {
    var found: Set<String> = []
    // "3." follows a NUL or the start of a section.
    _ = first("3", in: bytes) { start -> Bool? in
      guard start + 1 < bytes.count, bytes[start + 1] == 0x2e,
        start == 0 || bytes[start - 1] == 0
      else { return nil }
      let text = bytes[start..<min(start + 10, bytes.count)].prefix { $0 != 0 }
      let parts = text.split(separator: 0x2e, omittingEmptySubsequences: false)
      guard text.count < 10, parts.count == 3,
        parts.allSatisfy({ !$0.isEmpty && $0.count <= 2 && $0.allSatisfy(isDigit) }),
        let minor = Int(String(decoding: parts[1], as: UTF8.self)), minor >= 7
      else { return nil }
      found.insert(String(decoding: text, as: UTF8.self))
      return nil
    }
    return found
  }
}

/// The images of SQLite in processes; each file is searched once.
final class SQLiteImages {
  private var found: [Mark: SQLiteImage?] = [:]

  private struct Mark: Hashable {
    var device: UInt64
    var inode: UInt64
    var size: Int64
    var modified: Int
  }

  /// The images in a process.
  ///
  /// - Returns: nil if its memory may not be listed, or a file in it can no longer be read.
  func images(in pid: Int32, _ map: ProcessMap?) -> [SQLiteImage]? {
    guard let map else { return nil }
    var images: [SQLiteImage] = []
    let program = ProcFile.link("/proc/\(pid)/exe")
    for name in map.images {
      // The program's own file can be read after it was replaced, too.
      let file = name == program ? "/proc/\(pid)/exe" : "/proc/\(pid)/root\(name)"
      var status = stat()
      guard stat(file, &status) == 0 else { return nil }
      let mark = Mark(
        device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
        modified: status.st_mtim.tv_sec)
      let image = found[mark] ?? SQLiteImage(path: name, file: file)
      found[mark] = .some(image)
      if let image { images.append(image) }
    }
    return images
  }
}
