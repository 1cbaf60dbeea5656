// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ManagedObjectModel {
  /// Reads a model from Xcode's editor: an `.xcdatamodeld` folder, from which the current version
  /// is read, an `.xcdatamodel` folder, or the `contents` file in one.
  ///
  /// Its objects have no members: their properties are reached by name. Properties that a store
  /// does not keep, such as transient attributes, are left out and listed in ``remarks``.
  ///
  /// - Throws: ``ModelFileError``, with the line if it is known, and ``ModelError``.
  public convenience init(contentsOf url: URL) throws {
    let file = try ModelFolder(url).contents()
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      throw ModelFileError.unreadable(path: file.path, reason: error.localizedDescription)
    }
    guard !data.starts(with: "bplist".utf8) else {
      throw ModelFileError.compiled(path: file.path)
    }
    let parser = ModelFileParser(data, path: file.path)
    let entities = try parser.parse()
    try self.init(definitions: entities, remarks: parser.remarks)
  }
}

/// Finds the file within the folders that hold a model.
struct ModelFolder {
  private let url: URL

  init(_ url: URL) { self.url = url }

  /// - Throws: ``ModelFileError`` if there is no model, or if there are several and none is
  ///   current.
  func contents() throws -> URL {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw ModelFileError.unreadable(path: url.path, reason: "there is no such file")
    }
    guard !["mom", "momd", "omo"].contains(url.pathExtension) else {
      throw ModelFileError.compiled(path: url.path)
    }
    guard isFolder.boolValue else { return url }
    let contents = url.appending(path: "contents")
    if FileManager.default.fileExists(atPath: contents.path) { return contents }
    return try currentVersion().appending(path: "contents")
  }

  /// The version that `.xccurrentversion` names, or the only one.
  private func currentVersion() throws -> URL {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    let versions = files.filter { $0.hasSuffix(".xcdatamodel") }.sorted()
    let current = try? Data(contentsOf: url.appending(path: ".xccurrentversion"))
    let list = current.flatMap {
      try? PropertyListSerialization.propertyList(from: $0, format: nil)
    }
    let name = (list as? [String: Any])?["_XCCurrentVersionName"] as? String
    if let name, versions.contains(name) { return url.appending(path: name) }
    guard name == nil, versions.count == 1 else {
      throw ModelFileError.noModel(path: url.path, found: versions)
    }
    return url.appending(path: versions[0])
  }
}
