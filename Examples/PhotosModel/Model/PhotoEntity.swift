// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

/// The three ways in which the same photos are kept.
public enum PhotoVersion: Int, CaseIterable, Sendable {
  /// The bytes of the picture in the row that is listed; tags as one text.
  case first = 1
  /// The bytes in an entity of their own.
  case second
  /// A thumbnail with the photo; each tag once, normalized for searches.
  case third
}

/// A photo in any of the versions, as the list needs it.
protocol PhotoEntity: Entity {
  static var version: PhotoVersion { get }
  static var entities: [any Entity.Type] { get }
  /// The relationship path to the bytes of the picture.
  static var pictureRelationships: [String] { get }

  static func label(of photo: ManagedObject<Self>) -> String
  /// The attributes that the list shows in addition to the label.
  static func thumbnail(of photo: ManagedObject<Self>) -> Data?
  static func picture(of photo: ManagedObject<Self>) -> Data?
  static func fill(
    _ photo: ManagedObject<Self>, with entry: Album.Entry, _ picture: Bitmap,
    in context: ManagedObjectContext)
}
