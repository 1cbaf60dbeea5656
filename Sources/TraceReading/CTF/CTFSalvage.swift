// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents

/// The undamaged part of a trace whose stream files are cut or overwritten.
///
/// libbabeltrace2 rejects a whole trace if it cannot walk all packets of one stream file. So the
/// longest beginning of the file that it can walk is copied aside, next to links to the other
/// files:
///
///     /tmp/trace-report-…/0/metadata   ─▶ the trace's own
///                           channel_0  ─▶ the trace's own
///                           channel_1     a copy, without the packets from the damage on
final class CTFSalvage {
  /// The trace to read instead; its folder goes with this object.
  private(set) var trace = CTFTrace(folders: [])
  /// One sentence for each file that was cut.
  private(set) var problems: [String] = []
  private let links = TraceLinks()

  init(_ damaged: CTFTrace) throws {
    var folders: [String] = []
    for (number, folder) in damaged.folders.enumerated() {
      let folder = URL(filePath: folder, directoryHint: .isDirectory)
      folders.append(try salvage(folder, as: "\(number)").path)
    }
    trace = CTFTrace(folders: folders)
  }

  /// - Throws: ``BabeltraceError`` if the metadata alone is damaged: then nothing can be read.
  private func salvage(_ folder: URL, as name: String) throws -> URL {
    let copy = try makeFolder(name, metadataOf: folder)
    _ = try CTFGraph(.folders([copy.path]))
    for stream in try StreamFile.all(inFolder: folder) {
      let source = stream.url
      let file = source.lastPathComponent
      let alone = try makeFolder("alone", metadataOf: folder)
      defer { try? FileManager.default.removeItem(at: alone) }
      try links.link(source, at: alone.appending(path: file))
      if stream.isWhole, opens(alone) {
        try links.link(source, at: copy.appending(path: file))
      } else {
        try cut(stream, in: alone)
        if FileManager.default.fileExists(atPath: alone.appending(path: file).path) {
          try FileManager.default.moveItem(
            at: alone.appending(path: file), to: copy.appending(path: file))
        }
      }
    }
    return copy
  }

  /// Leaves the longest beginning of a file that can be read, in whole packets.
  private func cut(_ stream: StreamFile, in folder: URL) throws {
    let source = stream.url
    let starts = try PacketStarts(source).offsets
    let target = folder.appending(path: source.lastPathComponent)
    // `ends[count]` is where the first `count` packets end.
    var ends = starts.filter { $0 <= stream.wholeLength }
    if let last = ends.last, stream.wholeLength > last { ends.append(stream.wholeLength) }
    // So many can be walked, and so many cannot.
    var (kept, refused) = (0, ends.count)
    // Most often only the last packet is cut, so it is tried alone first.
    var middle = refused - 1
    while kept + 1 < refused {
      try copy(source, until: ends[middle], to: target)
      if opens(folder) { kept = middle } else { refused = middle }
      middle = (kept + refused) / 2
    }
    if kept > 0 {
      try copy(source, until: ends[kept], to: target)
    } else {
      try? FileManager.default.removeItem(at: target)
    }
    problems.append(
      "\(LogText.quoted(source.path)) is damaged: of its "
        + "\(starts.count.counted("packet")) the first \(kept) could be read")
  }

  private func copy(_ source: URL, until end: UInt64, to target: URL) throws {
    try? FileManager.default.removeItem(at: target)
    try Data().write(to: target)
    let input = try FileHandle(forReadingFrom: source)
    let output = try FileHandle(forWritingTo: target)
    var rest = end
    while rest > 0, let block = try input.read(upToCount: Int(min(rest, 1 << 20))), !block.isEmpty {
      try output.write(contentsOf: block)
      rest -= UInt64(block.count)
    }
  }

  private func opens(_ folder: URL) -> Bool {
    (try? CTFGraph(.folders([folder.path]))) != nil
  }

  private func makeFolder(_ name: String, metadataOf other: URL) throws -> URL {
    let folder = try links.makeFolder(name)
    try links.link(other.appending(path: "metadata"), at: folder.appending(path: "metadata"))
    return folder
  }
}
