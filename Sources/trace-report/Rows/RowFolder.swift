// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents
import TraceRendering

/// The files of an export of rows: one per table, day, host and recording.
///
///     DIR/events/date=2026-11-22/host=kiosk-7/5a0c3e17bd2f4490.jsonl
///
/// The name is the recording's id: a repeated export replaces the files, so the recording counts
/// once. The files appear at the end, when all of them are complete.
final class RowFolder {
  private let folder: String
  private var files: [RowPartition: (file: OutputFile, part: String)] = [:]
  private var parts: [(part: String, partition: RowPartition)] = []

  // 200 is arbitrary: each open file has a descriptor and a buffer.
  private static let maxFiles = 200

  init(_ folder: String) { self.folder = folder }

  deinit { for part in parts { unlink(part.part) } }

  func write(_ partition: RowPartition, _ line: String) throws {
    if let known = files[partition] { return try known.file.write(line) }
    // Two files of one partition would have the same name.
    if parts.contains(where: { $0.partition == partition }) {
      guard line.isEmpty else { throw Failure("the rows of \(partition.path) are out of order") }
      return
    }
    guard files.count < Self.maxFiles else {
      throw Failure(
        "the events have more than \(Self.maxFiles) days and hosts; export fewer inputs at once, "
          + "or a part with --since and --until")
    }
    let path = "\(folder)/\(partition.path)"
    try Self.makeFolders(path)
    let part = "\(path)/.\(getpid())-\(parts.count).part"
    let file = try OutputFile(part)
    files[partition] = (file, part)
    try file.write(line)
  }

  /// Closes the open files, which keep their temporary names.
  func close() throws {
    for (partition, file) in files {
      try file.file.finish()
      parts.append((file.part, partition))
    }
    files.removeAll()
  }

  /// Renames all files to the name of their recording.
  func publish(as name: String) throws {
    try close()
    for part in parts {
      let path = "\(folder)/\(part.partition.path)/\(name).jsonl"
      guard rename(part.part, path) == 0 else {
        throw Failure("cannot write \(LogText.quoted(path)): \(SystemErrorText.last.sentence)")
      }
    }
    parts.removeAll()
  }

  private static func makeFolders(_ path: String) throws {
    var prefix = path.hasPrefix("/") ? "/" : ""
    for name in path.split(separator: "/") {
      prefix += name
      guard mkdir(prefix, 0o777) == 0 || errno == EEXIST || errno == EISDIR else {
        throw Failure("cannot create \(LogText.quoted(prefix)): \(SystemErrorText.last.sentence)")
      }
      prefix += "/"
    }
  }
}
