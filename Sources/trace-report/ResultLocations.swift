// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import StoreEvents
import TraceRendering

/// Finds the line of code of a result or, where it is unknown, the line of a baseline or a log that
/// holds the statement, or a file of the trace's folder.
final class ResultLocations {
  private let sources: SourcePaths
  private let root: String
  /// The baseline first.
  private let inputs: [String]
  private var lines: [String: [Substring]] = [:]

  // 64 MB of text are searched in a tenth of a second; for a larger log the first line is used.
  private static let maxSearchedBytes = 64 << 20

  init(inputs: [String], sourceRoot: String) {
    self.inputs = inputs.filter { $0 != "-" }
    root = sourceRoot
    sources = SourcePaths(root: sourceRoot)
  }

  func location(of caller: SourceLocation, sql: String?) -> SARIFLog.FileLine {
    guard caller.file.isEmpty else {
      return .init(path: sources.path(of: caller.file), line: caller.line)
    }
    if let sql {
      // As written in a log, and in JSON.
      let texts = [
        LogText.escaped(sql), sql.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""),
      ]
      for path in inputs {
        if let line = lines(of: path).firstIndex(where: { line in
          texts.contains { line.contains($0) }
        }) {
          return .init(path: relative(path), line: UInt64(line) + 1)
        }
      }
    }
    return .init(path: inputs.first.map { relative(file(in: $0)) } ?? "standard-input", line: 1)
  }

  /// Empty for folders and for files that cannot be read.
  private func lines(of path: String) -> [Substring] {
    if let known = lines[path] { return known }
    let found =
      RegularFile.text(path, maxBytes: Self.maxSearchedBytes)?
      .split(separator: "\n", omittingEmptySubsequences: false) ?? []
    lines[path] = found
    return found
  }

  /// The path itself, or that of a folder's metadata, which every trace has.
  private func file(in path: String) -> String {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
    let metadata = names.sorted().first { $0 == "metadata" || $0.hasSuffix("/metadata") }
    return metadata.map { path + "/" + $0 } ?? path
  }

  /// Relative to the source root, as code hosts require.
  private func relative(_ path: String) -> String {
    var path = path
    let top = FileManager.default.currentDirectoryPath + "/" + (root == "." ? "" : root + "/")
    for prefix in [top, root + "/", "./"] where path.hasPrefix(prefix) {
      path = String(path.dropFirst(prefix.count))
    }
    return String(path.drop { $0 == "/" })
  }
}
