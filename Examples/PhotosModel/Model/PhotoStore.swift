// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

/// The photos of one version, in a separate file.
public struct PhotoStore {
  /// How the photos are kept.
  public let version: PhotoVersion
  let container: PersistentContainer

  /// `photos-2.sqlite` in a folder.
  public static func path(in folder: String, _ version: PhotoVersion) -> String {
    folder + "/photos-\(version.rawValue).sqlite"
  }

  /// Opens the photos that ``make(in:_:replacing:)`` wrote.
  ///
  /// - Throws: ``PhotosError/noStore(_:)``, `StoreError`.
  public init(in folder: String, _ version: PhotoVersion) throws {
    let path = Self.path(in: folder, version)
    guard FileManager.default.fileExists(atPath: path) else { throw PhotosError.noStore(path) }
    try self.init(path: path, version)
  }

  private init(path: String, _ version: PhotoVersion) throws {
    self.version = version
    container = try PersistentContainer(
      at: URL(fileURLWithPath: path), entities: version.photo.entities)
  }

  /// Writes an album in all three versions.
  ///
  /// - Throws: ``PhotosError/storeExists(_:)`` if a store exists and must not be replaced,
  ///   `StoreError`.
  public static func make(in folder: String, _ album: Album, replacing: Bool) throws {
    for version in PhotoVersion.allCases {
      let path = path(in: folder, version)
      if FileManager.default.fileExists(atPath: path) {
        guard replacing else { throw PhotosError.storeExists(path) }
        remove(path)
      }
      let store = try PhotoStore(path: path, version)
      try store.write(album, version.photo)
      store.container.close()
    }
  }

  /// Including its side files and the folder of its external data.
  private static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    let url = URL(fileURLWithPath: path)
    let name = "." + url.deletingPathExtension().lastPathComponent + "_SUPPORT"
    try? FileManager.default.removeItem(at: url.deletingLastPathComponent().appending(path: name))
  }

  // The number of photos per save, so that their bytes take a few megabytes.
  private static let savedAtOnce = 32

  private func write<Photo: PhotoEntity>(_ album: Album, _ type: Photo.Type) throws {
    for start in stride(from: 0, to: album.count, by: Self.savedAtOnce) {
      let context = container.newBackgroundContext()
      var tags = try TagIndex(context, version)
      for index in start..<min(start + Self.savedAtOnce, album.count) {
        let entry = album.entry(index)
        let photo = context.insert(Photo.self)
        Photo.fill(photo, with: entry, album.picture(entry), in: context)
        tags.connect(photo, to: entry.tags)
      }
      try context.save()
    }
  }
}

/// The tags of the third version, one object each.
private struct TagIndex {
  private let context: ManagedObjectContext
  private var tags: [String: ManagedObject<ThirdVersion.Tag>] = [:]

  init(_ context: ManagedObjectContext, _ version: PhotoVersion) throws {
    self.context = context
    guard version == .third else { return }
    for tag in try context.fetch(FetchRequest<ThirdVersion.Tag>()) { tags[tag.tag] = tag }
  }

  mutating func connect(_ photo: AnyManagedObject, to words: [String]) {
    guard let photo = photo as? ManagedObject<ThirdVersion.Photo> else { return }
    for word in words {
      let tag = tags[word] ?? context.insert(ThirdVersion.Tag.self)
      tag.tag = word
      tags[word] = tag
      photo.tags.insert(tag)
    }
  }
}

extension PhotoVersion {
  var photo: any PhotoEntity.Type {
    switch self {
    case .first: FirstVersion.Photo.self
    case .second: SecondVersion.Photo.self
    case .third: ThirdVersion.Photo.self
    }
  }
}

/// The reason why there are no photos to list, or to write.
public enum PhotosError: Error, Hashable, CustomStringConvertible {
  case noStore(String)
  case storeExists(String)
  case noTags(PhotoVersion)
  case noPhoto(Int, count: Int)

  /// One sentence: the fact, then what to do.
  public var description: String {
    switch self {
    case .noStore(let path):
      "no photos at '\(path)'; make them with 'photos generate', or name their folder with --folder"
    case .storeExists(let path):
      "'\(path)' exists already; name another folder with --folder, or replace it with --force"
    case .noTags(let version):
      "version \(version.rawValue) keeps the tags of a photo as one text; search it with "
        + "--form matches, or search version 3"
    case .noPhoto(let number, let count):
      "no photo \(number); the store has \(count) photos, numbered from 1"
    }
  }
}
