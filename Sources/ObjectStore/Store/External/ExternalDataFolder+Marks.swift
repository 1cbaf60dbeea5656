// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A store that uses a folder of external data: a line of the file `ObjectStoreOwners` in
/// `.photos_SUPPORT`.
///
///     5E0B4A0C-6B58-4D1E-9C0C-0E8B6C3A7F11 photos.sqlite
struct OwnerMark: Hashable {
  let uuid: String
  /// The name of the store's file, or its path if that is in another directory than the folder.
  let name: String
  /// Whether the line was understood.
  var isReadable = true

  var isElsewhere: Bool { name.hasPrefix("/") }

  init(uuid: String, name: String) {
    self.uuid = uuid
    self.name = name
  }

  init(line: Substring) {
    let parts = line.split(separator: " ", omittingEmptySubsequences: false)
    uuid = parts.first.flatMap { String($0).removingPercentEncoding } ?? ""
    name = parts.last.flatMap { String($0).removingPercentEncoding } ?? ""
    isReadable = parts.count == 2 && !uuid.isEmpty && !name.isEmpty
  }

  /// Percent-encoded, so that no name breaks a line.
  var line: String {
    [uuid, name].map { $0.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? "" }
      .joined(separator: " ")
  }

  private static var plain: CharacterSet {
    CharacterSet(charactersIn: "!"..."~").subtracting(CharacterSet(charactersIn: "%"))
  }

  /// Whether a store of that name has the same folder as another one of the directory.
  func usesFolder(of store: String) -> Bool {
    StoreNeighbors.base(name).lowercased()
      == StoreNeighbors.base(URL(fileURLWithPath: store).lastPathComponent).lowercased()
  }
}

extension ExternalDataFolder {
  private var marksPath: String { support + "/ObjectStoreOwners" }
  private static var marksLimit: Int { 1 << 20 }

  /// The stores that have marked the folder as theirs; nil if that cannot be read.
  var marks: Set<OwnerMark>? {
    guard let file = DataFile(reading: marksPath) else { return errno == ENOENT ? [] : nil }
    guard let size = file.size, size <= Self.marksLimit, let data = file.contents() else {
      return nil
    }
    return Set(String(decoding: data, as: UTF8.self).split(separator: "\n").map(OwnerMark.init))
  }

  func ownMark(_ owner: String) -> OwnerMark {
    let store = URL(fileURLWithPath: storePath)
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    let isBeside = resolved.map { String(cString: $0) == path } ?? true
    return OwnerMark(uuid: owner, name: isBeside ? store.lastPathComponent : storePath)
  }

  /// Marks the folder as used by the store, unless it is.
  func mark(owner: String?) throws {
    guard let owner else { return }
    let mark = ownMark(owner)
    guard marks?.contains(mark) != true else { return }
    // A truncated line must not swallow this one.
    let line = Data("\n\(mark.line)\n".utf8)
    guard let file = DataFile(appendingTo: marksPath, FileAccess(of: storePath)), file.write(line),
      file.sync()
    else { throw StoreError(externalData: marksPath, errno) }
  }
}
