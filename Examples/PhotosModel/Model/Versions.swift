// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

/// Everything in one entity.
enum FirstVersion {
  struct Photo: PhotoEntity {
    let label = Attribute<String>("label")
    let blob = Attribute<Data>("blob")
    let tags = Attribute<String>("tags")
    let timestamp = Attribute<Date>("timestamp")

    static let version = PhotoVersion.first
    static var entities: [any Entity.Type] { [Photo.self] }
    static let pictureRelationships: [String] = []

    static func label(of photo: ManagedObject<Photo>) -> String { photo.label }
    static func thumbnail(of photo: ManagedObject<Photo>) -> Data? { photo.blob }
    static func picture(of photo: ManagedObject<Photo>) -> Data? { photo.blob }

    static func fill(
      _ photo: ManagedObject<Photo>, with entry: Album.Entry, _ picture: Bitmap,
      in context: ManagedObjectContext
    ) {
      photo.label = entry.label
      photo.timestamp = entry.timestamp
      photo.tags = entry.tags.joined(separator: ", ")
      photo.blob = picture.file
    }
  }
}

/// The bytes in an entity of their own, with a to-one relationship.
enum SecondVersion {
  struct Photo: PhotoEntity {
    let label = Attribute<String>("label")
    let tags = Attribute<String>("tags")
    let timestamp = Attribute<Date>("timestamp")
    let picture: ToOne<Picture> = ToOne("picture", inverse: \.photo, deleteRule: .cascade)

    static let version = PhotoVersion.second
    static var entities: [any Entity.Type] { [Photo.self, Picture.self] }
    static let pictureRelationships = ["picture"]

    static func label(of photo: ManagedObject<Photo>) -> String { photo.label }
    static func thumbnail(of photo: ManagedObject<Photo>) -> Data? { nil }
    static func picture(of photo: ManagedObject<Photo>) -> Data? { photo.picture?.blob }

    static func fill(
      _ photo: ManagedObject<Photo>, with entry: Album.Entry, _ picture: Bitmap,
      in context: ManagedObjectContext
    ) {
      photo.label = entry.label
      photo.timestamp = entry.timestamp
      photo.tags = entry.tags.joined(separator: ", ")
      let bytes = context.insert(Picture.self)
      bytes.blob = picture.file
      photo.picture = bytes
    }
  }

  struct Picture: Entity {
    let blob = Attribute<Data>("blob", allowsExternalBinaryDataStorage: true)
    let photo = ToOne<Photo>("photo", inverse: \.picture)
  }
}

/// Values that are often shown or queried are kept with the photo; each tag is kept once.
enum ThirdVersion {
  struct Photo: PhotoEntity {
    let label = Attribute<String>("label")
    let thumbnail = Attribute<Data>("thumbnail")
    let tagCount = Attribute<Int16>("tagCount")
    let timestamp = Attribute<Date>("timestamp")
    let picture: ToOne<Picture> = ToOne("picture", inverse: \.photo, deleteRule: .cascade)
    let tags: ToMany<Tag> = ToMany("tags", inverse: \.photos)

    static let version = PhotoVersion.third
    static var entities: [any Entity.Type] { [Photo.self, Picture.self, Tag.self] }
    static let pictureRelationships = ["picture"]
    // 32 pixels: what a row of a list shows.
    private static let thumbnailSide = 32

    static func label(of photo: ManagedObject<Photo>) -> String { photo.label }
    static func thumbnail(of photo: ManagedObject<Photo>) -> Data? { photo.thumbnail }
    static func picture(of photo: ManagedObject<Photo>) -> Data? { photo.picture?.blob }

    static func fill(
      _ photo: ManagedObject<Photo>, with entry: Album.Entry, _ picture: Bitmap,
      in context: ManagedObjectContext
    ) {
      photo.label = entry.label
      photo.timestamp = entry.timestamp
      photo.tagCount = Int16(entry.tags.count)
      photo.thumbnail = picture.thumbnail(side: thumbnailSide).file
      let bytes = context.insert(Picture.self)
      bytes.blob = picture.file
      photo.picture = bytes
    }
  }

  struct Picture: Entity {
    let blob = Attribute<Data>("blob", allowsExternalBinaryDataStorage: true)
    let photo = ToOne<Photo>("photo", inverse: \.picture)
  }

  struct Tag: Entity {
    let tag = Attribute<String>("tag")
    let normalizedTag = Attribute<String>(
      "normalizedTag", derivedFrom: \Self.tag, \.searchNormalized)
    let photos = ToMany<Photo>("photos", inverse: \.tags)
    static let indexes: [Index<Tag>] = [Index(\.normalizedTag)]
    static let uniquenessConstraints: [UniquenessConstraint<Tag>] = [UniquenessConstraint(\.tag)]
  }
}
