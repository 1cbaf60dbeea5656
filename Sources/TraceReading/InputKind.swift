// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents
import Synchronization

/// The kind of an input, from its content.
enum InputKind {
  /// A folder: its subfolders with a `metadata` file each, and the logs of a recording.
  case folder(traces: [String], logs: [String])
  case log(FileDescriptor)

  /// Examines an input and opens it if it is a file.
  init(of path: String) throws(TraceReadingError) {
    if path == "-" {
      var status = stat()
      if fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        throw .unreadable(path, reason: "it is a folder; pass its path instead")
      }
      self = .log(try Self.uncompressed(path))
      return
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw errno == ENOENT || errno == ENOTDIR
        ? .noSuchInput(path) : .unreadable(path, reason: systemError())
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      let folders = try Self.traceFolders(beneath: path)
      let logs = Self.recordedLogs(in: path)
      guard !folders.isEmpty || !logs.isEmpty else {
        // The output of LTTng for a program that never reached a tracepoint: only folders.
        throw Self.holdsFile(path) ? .folderWithoutTrace(path) : .empty(path)
      }
      self = .folder(traces: folders, logs: logs)
    } else {
      self = .log(try Self.uncompressed(path))
    }
  }

  /// Opens a file that is neither packed nor a database.
  private static func uncompressed(_ path: String) throws(TraceReadingError) -> FileDescriptor {
    let file = try FileDescriptor.input(path)
    let head = file.peek()
    for (magic, tool) in [
      ([0x1f, 0x8b], "zcat"), ([0x28, 0xb5, 0x2f, 0xfd], "zstdcat"),
      ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], "xzcat"), ([0x42, 0x5a, 0x68], "bzcat"),
      ([0x50, 0x4b, 3, 4], "unzip -p"),
    ] as [([UInt8], String)] where head.starts(with: magic) {
      throw .compressed(path, tool: tool)
    }
    guard !head.starts(with: "SQLite format 3\0".utf8) else { throw .database(path) }
    guard !head.starts(with: #"{\rtf"#.utf8) else {
      throw .unreadable(path, reason: "it is rich text (RTF); save it as plain text")
    }
    return file
  }

  // 32 is arbitrary: LTTng's archived chunks are seven levels deep, a relayed trace 16 labels more.
  private static let maxDepth = 32

  /// Finds the folders with a `metadata` file: `ust/uid/0/64-bit`, `ust/pid/…`, archived chunks.
  static func traceFolders(
    beneath path: String, depth: Int = 0
  ) throws(TraceReadingError) -> [String] {
    guard let entries = folderEntries(path) else {
      throw .unreadable(path, reason: systemError())
    }
    if entries.contains(where: { $0.name == "metadata" && !$0.isFolder }) { return [path] }
    guard depth < maxDepth else { return [] }
    var found: [String] = []
    for entry in entries where entry.isFolder {
      found += try traceFolders(beneath: "\(path)/\(entry.name)", depth: depth + 1)
    }
    return found
  }

  /// The logs of a recording, one for each process: `4711.log`.
  private static func recordedLogs(in path: String) -> [String] {
    (folderEntries(path) ?? []).filter { !$0.isFolder && RecordedLog.isName($0.name) }
      .map { "\(path)/\($0.name)" }
  }

  private static func holdsFile(_ path: String, depth: Int = 0) -> Bool {
    guard depth < maxDepth, let entries = folderEntries(path) else { return true }
    // A hidden one may be the mark of a recorder that was killed.
    return entries.contains {
      $0.isFolder ? holdsFile("\(path)/\($0.name)", depth: depth + 1) : !$0.name.hasPrefix(".")
    }
  }

  /// The entries of a folder, sorted; a symbolic link is not a folder, so none is a loop.
  static func folderEntries(_ path: String) -> [(name: String, isFolder: Bool)]? {
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

/// The meaning of the last system error, with advice.
func systemError() -> String { SystemErrorText.last.sentence }

/// An open file, closed with its last user.
final class FileDescriptor: Sendable {
  private let rawValue: CInt
  private let closes: Bool
  /// The bytes that were read to detect its kind, and are not yet consumed.
  private let peeked = Mutex<[UInt8]>([])

  /// Pipes of which something was peeked: bytes that were read cannot be read again.
  private static let pipes = Mutex<[String: FileDescriptor]>([:])

  /// Opens an input, or continues with a pipe that was partly read.
  static func input(_ path: String) throws(TraceReadingError) -> FileDescriptor {
    if let known = pipes.withLock({ $0.removeValue(forKey: path) }) { return known }
    return path == "-" ? FileDescriptor(standardInput: ()) : try FileDescriptor(opening: path)
  }

  /// The first bytes of an input, which its next reader gets again.
  static func peek(_ path: String) throws(TraceReadingError) -> [UInt8] {
    try peeking(path) { $0.peek() }
  }

  static func peeking<Result>(
    _ path: String, _ body: (FileDescriptor) -> Result
  ) throws(TraceReadingError) -> Result {
    let file = try input(path)
    // A file is read from its beginning each time it is opened.
    defer { if !file.isFile { pipes.withLock { $0[path] = file } } }
    return body(file)
  }

  private init(opening path: String) throws(TraceReadingError) {
    var opened = open(path, O_RDONLY | O_CLOEXEC)
    // A named pipe without a writer waits here.
    while opened < 0, errno == EINTR, !ReadingInterruption.isRequested {
      opened = open(path, O_RDONLY | O_CLOEXEC)
    }
    rawValue = opened
    closes = opened >= 0
    guard opened < 0 else { return }
    throw errno == EINTR ? .interrupted(path) : .unreadable(path, reason: systemError())
  }

  private init(standardInput: ()) {
    rawValue = STDIN_FILENO
    closes = false
  }

  deinit { if closes { close(rawValue) } }

  private var isFile: Bool { byteCount != nil }

  /// Nil if it is not a regular file.
  var byteCount: Int? {
    var status = stat()
    guard closes, fstat(rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int(status.st_size)
  }

  /// Reads as many bytes as there are, up to the buffer's size.
  ///
  /// - Returns: 0 at the end; less than 0 on an error, which is in `errno`.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = peeked.withLock { bytes in
      let count = min(bytes.count, buffer.count)
      buffer.copyBytes(from: bytes[..<count])
      bytes.removeFirst(count)
      return count
    }
    return count > 0 ? count : readOn(into: buffer)
  }

  private func readOn(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = Glibc.read(rawValue, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EINTR { return count }
      // No more data will arrive after the bytes read until then.
      if ReadingInterruption.isRequested { return 0 }
    }
  }

  func read(into block: inout [UInt8]) -> Int {
    block.withUnsafeMutableBytes { read(into: $0) }
  }

  /// All bytes, which the next reader gets again.
  ///
  /// - Returns: nil if there are more than a count, or if the bytes so far are not `wanted`.
  func peekAll(atMost maxCount: Int, where isWanted: (ArraySlice<UInt8>) -> Bool) -> [UInt8]? {
    var bytes: [UInt8] = []
    defer { peeked.withLock { $0 = bytes + $0 } }
    var block = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(into: &block)
      guard count > 0 else { return count == 0 ? bytes : nil }
      bytes += block[..<count]
      guard bytes.count <= maxCount, isWanted(block[..<count]) else { return nil }
    }
  }

  // 4 KiB is arbitrary: enough for a key of a message of `log show`, and for a first statement.
  static let peekSize = 4 << 10

  /// The next few bytes, which the next reader gets again.
  func peek() -> [UInt8] {
    var block = [UInt8](repeating: 0, count: Self.peekSize)
    let count = read(into: &block)
    let bytes = Array(block.prefix(max(0, count)))
    peeked.withLock { $0 = bytes + $0 }
    return bytes
  }
}
