// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A stream file of a trace, and how much of it is whole packets.
struct StreamFile {
  let url: URL
  /// In bytes from its beginning; all of it if the trace's layout does not contain it.
  let wholeLength: UInt64
  let isWhole: Bool

  /// The stream files of a trace's folder, by their names.
  static func all(inFolder folder: URL) throws -> [StreamFile] {
    let layout = PacketLayout(ofFolder: folder.path)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .compactMap { name in
        let url = folder.appending(path: name)
        guard name != "metadata", !name.hasPrefix("."), let size = try size(of: url) else {
          return nil
        }
        let length = try layout?.wholeLength(ofStream: url) ?? size
        return StreamFile(url: url, wholeLength: length, isWhole: length == size)
      }
  }

  /// Whether all stream files of a folder can be walked from packet to packet.
  static func areWhole(inFolder folder: String) -> Bool {
    let files = try? all(inFolder: URL(filePath: folder, directoryHint: .isDirectory))
    return files?.allSatisfy(\.isWhole) ?? false
  }

  /// `nil` for what is no file.
  private static func size(of url: URL) throws -> UInt64? {
    let attributes = try FileManager.default.attributesOfItem(
      atPath: url.resolvingSymlinksInPath().path)
    guard attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
    return (attributes[.size] as? NSNumber)?.uint64Value
  }
}
