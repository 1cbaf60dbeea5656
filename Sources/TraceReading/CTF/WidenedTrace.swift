// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A trace under metadata by which libbabeltrace2 reads the contexts of events faster.
///
/// LTTng's context `procname` is an array of 17 numbers, and for them the library takes a third of
/// its time. A few wide numbers are the same bytes:
///
///     integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _vpid;
///     integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _vtid;
///     integer { size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; } _procname[17];
///
///     integer { size = 64; align = 8; signed = 0; byte_order = le; } _vpid_vtid;
///     integer { size = 64; align = 8; signed = 0; byte_order = le; } _procname_word_0;
///     integer { size = 64; align = 8; signed = 0; byte_order = le; } _procname_word_1;
///     integer { size = 8; align = 8; signed = 0; byte_order = le; } _procname_word_2;
final class WidenedTrace {
  /// The trace to read instead; its folders go with this object.
  let trace: CTFTrace
  private let links = TraceLinks()

  /// LTTng's names take three; eight is arbitrary.
  static let maxWords = 8

  /// `nil` where nothing is to be gained, or no folder can be made.
  init?(_ trace: CTFTrace) {
    var folders: [String] = []
    for (number, folder) in trace.folders.enumerated() {
      // All or none: the chunks of one trace have the same classes.
      guard let text = MetadataPackets.text(inFolder: folder),
        let metadata = Self.widened(text),
        let copy = try? Self.link(folder, as: "\(number)", under: metadata, in: links)
      else { return nil }
      folders.append(copy)
    }
    self.trace = CTFTrace(folders: folders)
  }

  /// The member that holds `vpid`, and `vtid` in its upper half.
  static let identifiers = "vpid_vtid"

  static func name(ofWord number: Int, in name: String) -> String { "\(name)_word_\(number)" }

  private static func link(
    _ folder: String, as name: String, under metadata: String, in links: TraceLinks
  ) throws -> String {
    let copy = try links.makeFolder(name)
    let folder = URL(filePath: folder, directoryHint: .isDirectory)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name != "metadata" && !name.hasPrefix(".") {
      try links.link(folder.appending(path: name), at: copy.appending(path: name))
    }
    try Data(metadata.utf8).write(to: copy.appending(path: "metadata"))
    return copy.path
  }

  /// `nil` where there is nothing to widen, or the text is not all UTF-8.
  static func widened(_ metadata: String) -> String? {
    guard !metadata.contains("\u{FFFD}") else { return nil }
    let text = withWideNames(withWideIdentifiers(metadata))
    return text == metadata ? nil : text
  }

  private static func withWideNames(_ metadata: String) -> String {
    guard metadata.contains("procname[") else { return metadata }
    let array =
      /integer \{[^{}]*\bsize = 8;[^{}]*\bencoding = UTF8;[^{}]*\} (\w*procname)\[(\d+)\];/
    return metadata.replacing(array) { match in
      Int(match.2).flatMap { words(of: $0, "\(match.1)") } ?? "\(match.0)"
    }
  }

  private static func withWideIdentifiers(_ metadata: String) -> String {
    // Of the other order of bytes, the halves would have to be turned round.
    guard metadata.contains("vpid;"), metadata.contains(/trace \{[^{}]*\bbyte_order = le;/) else {
      return metadata
    }
    // As LTTng writes them, without an order of their own.
    let pair =
      /integer \{ size = 32; align = 8; signed = 1; encoding = none; base = 10; \} _vpid;\s*integer \{ size = 32; align = 8; signed = 1; encoding = none; base = 10; \} _vtid;/
    return metadata.replacing(
      pair, with: "integer { size = 64; align = 8; signed = 0; byte_order = le; } _\(identifiers);")
  }

  private static func words(of count: Int, _ name: String) -> String? {
    let sizes = [Int](repeating: 64, count: count / 8) + [Int](repeating: 8, count: count % 8)
    // Only the last number may have less than eight bytes of the name.
    guard count > 8, count % 8 <= 1, sizes.count <= maxWords else { return nil }
    return sizes.enumerated().map { number, size in
      "integer { size = \(size); align = 8; signed = 0; byte_order = le; } "
        + "\(Self.name(ofWord: number, in: name));"
    }.joined(separator: " ")
  }
}
