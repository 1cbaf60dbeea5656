// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The folder with the large values of attributes with external storage:
/// `.stops_SUPPORT/_EXTERNAL_DATA` beside `stops.sqlite`.
///
/// Files are written while their process holds the store's write lock, under a name that no file
/// ever had, and never changed. So whoever holds the lock and finds a file that no row refers to
/// may remove it: nobody else is about to refer to it. Whoever may read the store may read them.
struct ExternalDataFolder: Sendable {
  let path: String
  private let storePath: String
  /// Told by triggers of the connection that writes.
  let replaced = ReplacedData()
  let doubtful = DoubtfulData()

  /// - Parameter path: of the store, which exists.
  init(store path: String) {
    // Where SQLite has its log: beside the file itself, not beside a link to it.
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    let file = URL(fileURLWithPath: resolved.map { String(cString: $0) } ?? path)
    let name = file.deletingPathExtension().lastPathComponent
    self.path =
      file.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA").path
    storePath = file.path
  }

  func path(of uuid: UUID) -> String { path + "/" + uuid.uuidString }

  // MARK: - Reading

  /// - Throws: ``ExternalDataProblem``.
  func read(_ reference: ExternalDataReference) throws(ExternalDataProblem) -> Data {
    guard let uuid = reference.uuid else { throw .damagedReference }
    let path = path(of: uuid)
    guard let file = DataFile(reading: path) else { throw DataFile.problem(path) }
    guard let data = file.contents() else { throw DataFile.problem(path) }
    return data
  }

  /// Whether a file holds just these bytes.
  func holds(_ data: Data, _ reference: ExternalDataReference) -> Bool {
    guard let uuid = reference.uuid, let file = DataFile(reading: path(of: uuid)),
      file.size == data.count
    else { return false }
    return file.contents() == data
  }

  /// The files that are there; none if the folder is not.
  var files: Set<UUID> {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var files: Set<UUID> = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let uuid = UUID(uuidString: name), uuid.uuidString == name { files.insert(uuid) }
    }
    return files
  }

  // MARK: - Writing

  /// Writes a new file that survives a loss of power once its folder is synced.
  ///
  /// - Throws: ``StoreError``: `full`, `cannotWriteExternalData`.
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
  ///
  /// - Throws: ``StoreError/cannotWriteExternalData(path:reason:)``.
  func sync() throws { try sync(path) }

  private func sync(_ path: String) throws {
    guard let folder = DataFile(reading: path, isFolder: true), folder.sync() else {
      throw StoreError(externalData: path, errno)
    }
  }

  private func makeFolder() throws {
    guard access(path, F_OK) != 0 else { return }
    let support = URL(fileURLWithPath: path).deletingLastPathComponent()
    let access = FileAccess(of: storePath).ofFolder
    for folder in [support.path, path] {
      if mkdir(folder, access.mode) == 0 {
        guard let made = DataFile(reading: folder, isFolder: true), made.give(access) else {
          throw StoreError(externalData: folder, errno)
        }
      } else if errno != EEXIST {
        throw StoreError(externalData: folder, errno)
      }
    }
    try sync(support.path)
    try sync(support.deletingLastPathComponent().path)
  }

  /// Removes files that no row refers to since the last commit, as far as that is possible now.
  ///
  /// A commit is synced when the log is, and a checkpoint may be long in coming: were the commit
  /// lost with the power, rows would refer to these files again.
  func remove(_ uuids: some Collection<UUID>) {
    guard !uuids.isEmpty else { return }
    let logPath = storePath + "-wal"
    if access(logPath, F_OK) == 0 {
      // To close the log does not drop locks: SQLite's are on other files.
      guard let log = DataFile(reading: logPath), log.sync() else { return }
    }
    for uuid in uuids { unlink(path(of: uuid)) }
  }
}
