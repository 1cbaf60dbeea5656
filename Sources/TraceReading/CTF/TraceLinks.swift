// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of links to the files of a trace, some of which are replaced.
///
///     /tmp/trace-report-…/0/metadata   ─▶ the trace's own
///                           channel_0  ─▶ the trace's own
///
/// It goes with the object.
final class TraceLinks {
  let root: URL

  init() {
    root = FileManager.default.temporaryDirectory
      .appending(path: "trace-report-\(UUID().uuidString)", directoryHint: .isDirectory)
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  func makeFolder(_ name: String) throws -> URL {
    let folder = root.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  func link(_ file: URL, at place: URL) throws {
    try FileManager.default.createSymbolicLink(
      at: place, withDestinationURL: URL(filePath: file.path).standardizedFileURL)
  }
}
