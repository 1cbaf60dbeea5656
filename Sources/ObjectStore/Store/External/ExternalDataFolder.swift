// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The folder with the large values of attributes with external storage:
/// `.stops_SUPPORT/_EXTERNAL_DATA` beside `stops.sqlite`.
///
/// Files are written while their process holds the store's write lock, under a new name, and never
/// change. As the folder's name lacks the extension of the store's, other stores may use it too;
/// ``claim(_:)`` decides which files may be removed.
struct ExternalDataFolder: Sendable {
  /// `.stops_SUPPORT`, with the trash and the owners' marks beside the data.
  let support: String
  let path: String
  let storePath: String
  /// Filled by triggers of the connection that writes.
  let replaced = RemovableFiles()
  let doubtful = RemovableFiles()
  let neighbors: StoreNeighbors

  static let dataName = "_EXTERNAL_DATA"
  static let trashName = "_TRASH"

  /// - Parameter path: of the store, which exists.
  init(store path: String) {
    // The folder of SQLite's log: that of the file itself, not of a link to it.
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    let file = URL(fileURLWithPath: resolved.map { String(cString: $0) } ?? path)
    let name = file.deletingPathExtension().lastPathComponent
    support = file.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT").path
    self.path = support + "/" + Self.dataName
    storePath = file.path
    neighbors = StoreNeighbors(of: file)
  }

  var trash: String { support + "/" + Self.trashName }
  func trashPath(of uuid: UUID) -> String { trash + "/" + uuid.uuidString }

  func path(of uuid: UUID) -> String { path + "/" + uuid.uuidString }

  // MARK: - Reading

  func read(_ reference: ExternalDataReference) throws(ExternalDataProblem) -> Data {
    guard let uuid = reference.uuid else { throw .damagedReference }
    var path = path(of: uuid)
    if access(path, F_OK) != 0, errno == ENOENT { path = strayPath(of: uuid) ?? path }
    guard let file = DataFile(reading: path) else { throw DataFile.problem(path) }
    guard let data = file.contents() else { throw DataFile.problem(path) }
    return data
  }

  /// Whether a file contains exactly these bytes.
  func holds(_ data: Data, _ reference: ExternalDataReference) -> Bool {
    guard let uuid = reference.uuid, let file = DataFile(reading: path(of: uuid)),
      file.size == data.count
    else { return false }
    return file.contents() == data
  }

  /// Searches for a file that is not in this folder: in the trash, or in folders of other stores of
  /// the directory, for example after the store was renamed or copied without its folder.
  func strayPath(of uuid: UUID) -> String? {
    let folders = [support] + neighbors.supportFolders.filter { $0 != support }
    for folder in folders {
      for name in [Self.dataName, Self.trashName] {
        let path = "\(folder)/\(name)/\(uuid.uuidString)"
        if path != self.path(of: uuid), access(path, F_OK) == 0 { return path }
      }
    }
    return nil
  }

  /// The files that exist; none if the folder does not.
  var files: Set<UUID> { Self.files(in: path) }
  var trashedFiles: Set<UUID> { Self.files(in: trash) }

  private static func files(in path: String) -> Set<UUID> {
    var files: Set<UUID> = []
    DirectoryListing.forEachName(in: path) { name in
      if let uuid = UUID(uuidString: name), uuid.uuidString == name { files.insert(uuid) }
    }
    return files
  }

  // MARK: - Writing

  /// Writes a new file that survives a loss of power once its folder is synced.
  func write(_ data: Data) throws -> UUID {
    try makeFolder()
    let uuid = UUID()
    let path = path(of: uuid)
    guard let file = DataFile(making: path, FileAccess(of: storePath)), file.write(data),
      file.sync()
    else {
      let error = StoreError(externalData: path, errno)
      unlink(path)
      throw error
    }
    return uuid
  }

  /// Makes new files, and the removal of old ones, survive a loss of power.
  func sync() throws { try sync(path) }

  private func sync(_ path: String) throws {
    guard let folder = DataFile(reading: path, isFolder: true), folder.sync() else {
      throw StoreError(externalData: path, errno)
    }
  }

  func makeFolder() throws { try makeFolder(path) }

  private func makeFolder(_ path: String) throws {
    guard access(path, F_OK) != 0 else { return }
    let access = FileAccess(of: storePath).ofFolder
    for folder in [support, path] {
      if mkdir(folder, access.mode) == 0 {
        guard let made = DataFile(reading: folder, isFolder: true), made.setAccess(access) else {
          throw StoreError(externalData: folder, errno)
        }
      } else if errno != EEXIST {
        throw StoreError(externalData: folder, errno)
      }
    }
    try sync(support)
    try sync(neighbors.directory)
  }

  // MARK: - Removing

  /// Removes files that this store alone has made and that no commit refers to.
  func remove(_ uuids: Set<UUID>) {
    for uuid in uuids { unlink(path(of: uuid)) }
  }

  /// Removes files that no row of this store refers to, unless another store may refer to them:
  /// files of another store are moved to the trash, files of a copy stay.
  func release(_ uuids: Set<UUID>, owner: String) {
    guard !uuids.isEmpty else { return }
    let claim = claim(owner)
    for uuid in uuids {
      switch claim.verdict(on: uuid) {
      case .remove: unlink(path(of: uuid))
      case .trash: moveToTrash(uuid)
      case .keep: break
      }
    }
  }

  /// Syncs the log, so that the files that the last commit replaced can be removed.
  ///
  /// A commit survives a loss of power once the log is synced, and the next checkpoint may come
  /// late. If the commit were lost, rows would refer to the removed files again.
  func syncLog() -> Bool {
    let logPath = storePath + "-wal"
    guard access(logPath, F_OK) == 0 else { return true }
    // To close the log does not drop locks: SQLite's are on other files.
    guard let log = DataFile(reading: logPath) else { return false }
    return log.sync()
  }

  /// False if the file stays where it is.
  @discardableResult
  func moveToTrash(_ uuid: UUID) -> Bool {
    guard (try? makeFolder(trash)) != nil else { return false }
    return rename(path(of: uuid), trashPath(of: uuid)) == 0
  }

  /// Brings a file that a row refers to into this folder; false if it is nowhere to be found.
  @discardableResult
  func bringBack(_ uuid: UUID) -> Bool {
    guard (try? makeFolder()) != nil else { return false }
    if rename(trashPath(of: uuid), path(of: uuid)) == 0 { return true }
    guard let stray = strayPath(of: uuid) else { return false }
    // A hard link: the file stays where another store may look for it.
    return link(stray, path(of: uuid)) == 0
  }
}
