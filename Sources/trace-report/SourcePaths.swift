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

/// Reads the code of callers.
struct SourceFiles {
  private let root: String
  private lazy var paths = SourcePaths(root: root)

  init(root: String) { self.root = root }

  /// The path and the text of a caller's file; nil where it is not here.
  mutating func text(of caller: String) -> (path: String, text: String)? {
    guard !caller.isEmpty else { return nil }
    if let text = Self.text(caller, root: root) { return (caller, text) }
    guard caller.hasSuffix(".swift") else { return nil }
    let path = paths.path(of: caller)
    return Self.text(path, root: root).map { (path, $0) }
  }

  private static func text(_ path: String, root: String) -> String? {
    let path = path.hasPrefix("/") || root == "." ? path : "\(root)/\(path)"
    return RegularFile.text(path, maxBytes: 4 << 20)
  }
}

enum RegularFile {
  /// The text of a file; nil if it is not a regular one, is larger, or cannot be read.
  static func text(_ path: String, maxBytes: Int) -> String? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      attributes[.type] as? FileAttributeType == .typeRegular,
      (attributes[.size] as? Int).map({ $0 <= maxBytes }) == true,
      let data = FileManager.default.contents(atPath: path)
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
