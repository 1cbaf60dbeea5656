// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport

/// A directory with stores of photos, and other programs' operations on their files.
struct StoreFolder {
  let folder: TemporaryDirectory
  var url: URL { folder.url }

  init() throws { folder = try TemporaryDirectory() }

  func path(_ name: String) -> String { folder.path(name) }

  static func support(_ name: String) -> String {
    "." + URL(fileURLWithPath: "/" + name).deletingPathExtension().lastPathComponent + "_SUPPORT"
  }

  func open(
    _ name: String, readOnly: Bool = false, grace: Duration = .zero
  ) throws -> PersistentContainer {
    var options = PhotoFixture.options
    options.externalDataGracePeriod = grace
    options.isReadOnly = readOnly
    return try PersistentContainer(
      at: url.appending(path: name), entities: Photo.self, PhotoAlbum.self, options: options)
  }

  /// Opens a store, works with it and closes it, as a process does.
  @discardableResult
  func with<R>(
    _ name: String, grace: Duration = .zero, _ work: (PersistentContainer) throws -> R
  ) throws -> R {
    let container = try open(name, grace: grace)
    defer { container.close() }
    return try work(container)
  }

  /// The data of each label.
  func values(_ name: String, readOnly: Bool = false) throws -> [String: Data] {
    let container = try open(name, readOnly: readOnly)
    defer { container.close() }
    return try container.photoValues()
  }

  func files(_ name: String, in folder: String = "_EXTERNAL_DATA") -> Set<String> {
    let path = self.path("\(Self.support(name))/\(folder)")
    return Set((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
  }

  // MARK: - Operations of other programs

  /// Copies a store that is not open.
  func copy(_ name: String, to other: String, withFolder: Bool = false) throws {
    try remove(other)
    try FileManager.default.copyItem(atPath: path(name), toPath: path(other))
    let (from, to) = (path(Self.support(name)), path(Self.support(other)))
    guard withFolder, from != to, FileManager.default.fileExists(atPath: from) else { return }
    try merge(from, to)
  }

  func move(_ name: String, to other: String, withFolder: Bool = false) throws {
    try remove(other)
    try FileManager.default.moveItem(atPath: path(name), toPath: path(other))
    let (from, to) = (path(Self.support(name)), path(Self.support(other)))
    guard withFolder, from != to, FileManager.default.fileExists(atPath: from),
      !FileManager.default.fileExists(atPath: to)
    else { return }
    try FileManager.default.moveItem(atPath: from, toPath: to)
  }

  func remove(_ name: String) throws {
    for suffix in ["", "-wal", "-shm"]
    where FileManager.default.fileExists(atPath: path(name + suffix)) {
      try FileManager.default.removeItem(atPath: path(name + suffix))
    }
  }

  /// As `cp -R FROM/. TO` does.
  func merge(_ from: String, _ to: String) throws {
    let manager = FileManager.default
    for name in try manager.subpathsOfDirectory(atPath: from) {
      var isFolder: ObjCBool = false
      guard manager.fileExists(atPath: from + "/" + name, isDirectory: &isFolder),
        !isFolder.boolValue
      else { continue }
      let target = URL(fileURLWithPath: to + "/" + name)
      try manager.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try? manager.removeItem(at: target)
      try manager.copyItem(atPath: from + "/" + name, toPath: target.path)
    }
  }
}

extension PersistentContainer {
  func photoValues() throws -> [String: Data] {
    let context = newBackgroundContext()
    var values: [String: Data] = [:]
    for photo in try context.fetch(FetchRequest<Photo>()) {
      guard case .data(let data) = try photo.value(forKey: "blob") else { continue }
      values[photo.label] = data
    }
    return values
  }

  /// Inserts photos, replaces their data, and deletes photos without any.
  func setPhotos(_ changes: [String: Data?]) throws {
    let context = newBackgroundContext()
    let photos = Dictionary(
      try context.fetch(FetchRequest<Photo>()).map { ($0.label, $0) },
      uniquingKeysWith: { a, _ in a })
    for (label, data) in changes {
      if let data {
        let photo = photos[label] ?? context.insert(Photo.self)
        photo.label = label
        photo.blob = data
      } else if let photo = photos[label] {
        context.delete(photo)
      }
    }
    try context.save()
  }
}
