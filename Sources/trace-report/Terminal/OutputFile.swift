// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// A file that is written in parts, or standard output.
///
/// The file gets its name when it is complete, so no reader sees a part of it. A device or a pipe
/// is written to directly, because a rename would replace it.
final class OutputFile {
  private var descriptor: Int32
  private let path: String?
  private let temporaryPath: String
  private var buffer: [UInt8] = []
  private static let blockSize = 256 << 10

  /// - Throws: ``Failure`` if the file cannot be created.
  init(_ path: String?) throws {
    self.path = path
    guard let path else {
      descriptor = STDOUT_FILENO
      temporaryPath = ""
      return
    }
    guard !Self.isSpecial(path) else {
      temporaryPath = ""
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.failure(path) }
      return
    }
    temporaryPath = "\(path).\(getpid()).part"
    descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  deinit {
    guard path != nil, descriptor >= 0 else { return }
    close(descriptor)
    if !temporaryPath.isEmpty { unlink(temporaryPath) }
  }

  func write(_ text: String) throws {
    buffer += text.utf8
    if buffer.count >= Self.blockSize { try flush() }
  }

  /// Writes the rest, and renames the file to its final name.
  func finish() throws {
    try flush()
    guard let path, !temporaryPath.isEmpty else { return }
    // A quota error may be reported only here.
    let isClosed = close(descriptor) == 0
    descriptor = -1
    guard isClosed else {
      let failure = Self.failure(path)
      unlink(temporaryPath)
      throw failure
    }
    guard rename(temporaryPath, path) == 0 else {
      let failure = Self.failure(path)
      unlink(temporaryPath)
      throw failure
    }
  }

  private func flush() throws {
    var written = 0
    while written < buffer.count {
      let count = buffer.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
      }
      if count < 0, errno == EINTR { continue }
      // A reader that exited, such as `head`, needs no more output.
      guard count > 0 else {
        if path == nil, errno == EPIPE { break }
        throw Self.failure(path ?? "standard output")
      }
      written += count
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
      && status.st_mode & S_IFMT != S_IFDIR
  }

  private static func failure(_ path: String) -> Failure {
    Failure(
      "cannot write \(LogText.quoted(path)): \(SystemErrorText.last.sentence)")
  }
}
