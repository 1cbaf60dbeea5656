// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// What an input is, found from its content.
enum InputKind {
  /// Folders that hold a `metadata` file each.
  case ctf([String])
  case log(FileDescriptor)

  /// Looks at an input and opens it if it is a file.
  init(of path: String) throws(TraceReadingError) {
    if path == "-" {
      var status = stat()
      if fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        throw .unreadable(path, reason: "it is a folder; give its path instead")
      }
      self = .log(FileDescriptor(standardInput: ()))
      return
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw errno == ENOENT || errno == ENOTDIR
        ? .noSuchInput(path) : .unreadable(path, reason: systemError())
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      let folders = try Self.traceFolders(beneath: path)
      guard !folders.isEmpty else {
        // What LTTng leaves of a program that never reached a tracepoint: folders alone.
        throw Self.holdsFile(path) ? .unknownKind(path) : .empty(path)
      }
      self = .ctf(folders)
    } else {
      self = .log(try FileDescriptor(opening: path))
    }
  }

  /// Finds the folders with a `metadata` file: `ust/uid/0/64-bit`, `ust/pid/…`, archived chunks.
  static func traceFolders(
    beneath path: String, depth: Int = 0
  ) throws(TraceReadingError) -> [String] {
    guard let entries = folderEntries(path) else {
      throw .unreadable(path, reason: systemError())
    }
    if entries.contains(where: { $0.name == "metadata" && !$0.isFolder }) { return [path] }
    // 16 is arbitrary: LTTng's archived chunks lie seven deep.
    guard depth < 16 else { return [] }
    var found: [String] = []
    for entry in entries where entry.isFolder {
      found += try traceFolders(beneath: "\(path)/\(entry.name)", depth: depth + 1)
    }
    return found
  }

  private static func holdsFile(_ path: String, depth: Int = 0) -> Bool {
    guard depth < 16, let entries = folderEntries(path) else { return true }
    return entries.contains {
      !$0.isFolder || holdsFile("\(path)/\($0.name)", depth: depth + 1)
    }
  }

  /// The entries of a folder, sorted; a symbolic link is not a folder, so none is a loop.
  private static func folderEntries(_ path: String) -> [(name: String, isFolder: Bool)]? {
    guard let directory = opendir(path) else { return nil }
    defer { closedir(directory) }
    var entries: [(name: String, isFolder: Bool)] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name != ".", name != ".." else { continue }
      entries.append((name, isFolder("\(path)/\(name)", type: entry.pointee.d_type)))
    }
    return entries.sorted { $0.name < $1.name }
  }

  private static func isFolder(_ path: String, type: UInt8) -> Bool {
    if type != UInt8(DT_UNKNOWN) { return type == UInt8(DT_DIR) }
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

/// The C library's sentence for the last error.
func systemError() -> String { String(cString: strerror(errno)) }

/// An open file, closed with its last user.
final class FileDescriptor {
  let rawValue: CInt
  private let closes: Bool

  init(opening path: String) throws(TraceReadingError) {
    rawValue = open(path, O_RDONLY | O_CLOEXEC)
    closes = rawValue >= 0
    if rawValue < 0 { throw .unreadable(path, reason: systemError()) }
  }

  init(standardInput: ()) {
    rawValue = STDIN_FILENO
    closes = false
  }

  deinit { if closes { close(rawValue) } }

  /// What was read of standard input to see its kind, and nobody has used yet.
  private static let peeked = Mutex<[UInt8]>([])

  /// Reads as many bytes as there are, up to the buffer's size.
  ///
  /// - Returns: 0 at the end; less than 0 on an error, which is in `errno`.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if rawValue == STDIN_FILENO {
      let count = Self.peeked.withLock { bytes in
        let count = min(bytes.count, buffer.count)
        buffer.copyBytes(from: bytes[..<count])
        bytes.removeFirst(count)
        return count
      }
      if count > 0 { return count }
    }
    while true {
      let count = Glibc.read(rawValue, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  func read(into block: inout [UInt8]) -> Int {
    block.withUnsafeMutableBytes { read(into: $0) }
  }

  /// The next few bytes, which the next reader gets again.
  func peek() -> [UInt8] {
    var block = [UInt8](repeating: 0, count: 64)
    let count = read(into: &block)
    let bytes = Array(block.prefix(max(0, count)))
    Self.peeked.withLock { $0 = bytes + $0 }
    return bytes
  }
}
