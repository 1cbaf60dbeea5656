// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreInstruments
import TestSupport
import Testing

struct Photo: Entity {
  let label = Attribute<String>("label")
  let blob = Attribute<Data?>("blob", allowsExternalBinaryDataStorage: true)
  let album = ToOne<PhotoAlbum>("album", inverse: \.photos)
  static let uniquenessConstraints = [UniquenessConstraint<Photo>(\.label)]
}

struct PhotoAlbum: Entity {
  let name = Attribute<String>("name")
  let cover = Attribute<Data>("cover", default: Data([1]), allowsExternalBinaryDataStorage: true)
  let photos: ToMany<Photo> = ToMany("photos", inverse: \.album, deleteRule: .cascade)
}

/// A store of photos; their data goes to a file from 101 bytes on.
struct PhotoFixture {
  let store: StoreFixture

  var context: ManagedObjectContext { store.context }
  var observer: RecordingObserver { store.observer }
  var folder: URL { store.folder.url.appending(path: ".store_SUPPORT/_EXTERNAL_DATA") }

  static var options: StoreOptions {
    var options = StoreOptions()
    options.externalDataThreshold = 100
    return options
  }

  init(options: StoreOptions = Self.options) throws {
    store = try StoreFixture([Photo.self, PhotoAlbum.self], options: options)
  }

  func reopened(options: StoreOptions = Self.options) throws -> PersistentContainer {
    try store.reopened([Photo.self, PhotoAlbum.self], options: options)
  }

  @discardableResult
  func insert(_ label: String, _ blob: Data?) -> ManagedObject<Photo> {
    let photo = context.insert(Photo.self)
    photo.label = label
    photo.blob = blob
    return photo
  }

  /// A saved photo with its data in a file.
  func save(_ label: String, _ blob: Data = .sample(200)) throws -> ManagedObject<Photo> {
    let photo = insert(label, blob)
    try context.save()
    return photo
  }

  /// The names of the files that are there, sorted.
  var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  /// The names of the files that rows refer to, sorted.
  func references(_ column: String = "ZBLOB", _ table: String = "ZPHOTO") throws -> [String] {
    try store.rows(
      "SELECT CAST(substr(\(column), 2, 36) AS TEXT) FROM \(table) "
        + "WHERE substr(\(column), 1, 1) = X'02'"
    ).sorted()
  }
}

extension Data {
  /// Bytes that are not all alike.
  static func sample(_ count: Int, seed: Int = 0) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) })
  }
}

extension PersistentContainer {
  /// The data of all photos, in the order of their labels.
  func blobs() throws -> [Data?] { try photos { $0.map(\.blob) } }

  /// The labels of some photos, sorted.
  func labels(_ format: String) throws -> [String] {
    try photos(FetchPredicate(format)) { $0.map(\.label) }
  }

  private func photos<Value>(
    _ predicate: FetchPredicate? = nil, _ read: ([ManagedObject<Photo>]) -> Value
  ) throws -> Value {
    var request = FetchRequest<Photo>(predicate: predicate)
    request.sortDescriptors = [SortDescriptor(\.label)]
    let context = newBackgroundContext()
    return try withExtendedLifetime(context) { read(try context.fetch(request)) }
  }
}
