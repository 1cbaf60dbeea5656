// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Paths of source files in a repository; `#fileID` holds only the module and the file name.
struct SourcePaths {
  /// Paths from the root, by the file's name.
  private var paths: [String: [String]] = [:]

  // 8 is arbitrary: Sources/Module/Folder/Folder is four levels deep.
  private static let deepest = 8

  init(root: String) { add(root, from: "", depth: 0) }

  /// The only file of that name in a folder of the module's name; otherwise the id itself.
  ///
  ///     transit/Search.swift  →  Examples/transit/Search.swift
  func path(of fileID: String) -> String {
    let parts = fileID.split(separator: "/")
    guard let name = parts.last, let module = parts.first, parts.count > 1 else { return fileID }
    let found = paths[String(name)] ?? []
    let inModule = found.filter { $0.split(separator: "/").dropLast().contains(module) }
    if inModule.count == 1 { return inModule[0] }
    return found.count == 1 ? found[0] : fileID
  }

  private mutating func add(_ folder: String, from prefix: String, depth: Int) {
    guard depth < Self.deepest,
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    else { return }
    for name in names.sorted() where !name.hasPrefix(".") {
      let path = "\(folder)/\(name)"
      if name.hasSuffix(".swift") {
        paths[name, default: []].append(prefix + name)
      } else if !name.contains(".") {
        add(path, from: "\(prefix)\(name)/", depth: depth + 1)
      }
    }
  }
}
