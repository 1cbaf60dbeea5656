// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

/// A store that is created next to its final path and moved there when it is complete.
public struct NewStore {
  private let path: String
  private var draft: String { path + ".new" }

  /// Makes a store with a writer, and moves it to its place when it is whole.
  ///
  /// - Throws: ``TransitError`` if there is a file that must not be replaced, `StoreError`, and
  ///   whatever `write` throws; an existing store is then as it was.
  public static func make(
    at path: String, replacing: Bool, _ write: (StopWriter) async throws -> Void
  ) async throws {
    let new = try NewStore(path: path, replacing: replacing)
    defer { new.removeDraft() }
    let writer = try StopWriter(path: new.draft)
    try await write(writer)
    try writer.close()
    try new.finish()
  }

  private init(path: String, replacing: Bool) throws {
    self.path = path
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard !isFolder.boolValue else { throw TransitError.isFolder(path) }
      guard replacing else { throw TransitError.storeExists(path) }
    }
    removeDraft()
  }

  /// The files of an interrupted run are removed too.
  private func removeDraft() {
    unlink(draft)
    Self.removeLog(of: draft)
  }

  private static func removeLog(of path: String) {
    unlink(path + "-wal")
    unlink(path + "-shm")
  }

  private func finish() throws {
    guard rename(draft, path) == 0 else {
      throw TransitError.cannotReplace(path, reason: String(cString: strerror(errno)))
    }
    // The log of the store that was here would be taken for the new one's.
    Self.removeLog(of: path)
  }
}
