// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads files of `/proc`, which have no size and are built while they are read.
enum ProcFile {
  /// The text of a file, and how many reads it took; nil if it cannot be opened.
  ///
  /// The kernel builds a text of up to one page under its own lock, so a text that took one read is
  /// a picture of one moment.
  static func read(_ path: String) -> (text: String, reads: Int)? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var reads = 0
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 { break }
      reads += 1
      bytes += buffer[..<count]
    }
    return (String(decoding: bytes, as: UTF8.self), reads)
  }

  /// The text of a file; nil if it cannot be opened.
  static func text(_ path: String) -> String? { read(path)?.text }

  /// The target of a symbolic link.
  static func link(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(path, &buffer, buffer.count)
    guard count >= 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The entries of a folder that have numbers as names; nil if it cannot be read.
  static func numbers(in folder: String) -> [Int32]? {
    guard let directory = opendir(folder) else { return nil }
    defer { closedir(directory) }
    var numbers: [Int32] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let number = Int32(name) { numbers.append(number) }
    }
    return numbers
  }

  /// The value of a line such as `NSpid:	4711	7`.
  static func field(_ name: String, in text: String) -> Substring? {
    let prefix = "\(name):"
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(prefix) })
    else { return nil }
    return line.dropFirst(prefix.count).drop { $0 == " " || $0 == "\t" }
  }
}
