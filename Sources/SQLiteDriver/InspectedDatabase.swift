// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FoundationEssentials
import Glibc

/// A database that belongs to another program, opened for inspection: it is never written, and no
/// side files are left beside it.
///
/// A file in WAL mode that no process has open is read as immutable; one in use is read as
/// one more reader, which takes part in the locks of the `-shm` file but makes and leaves no file;
/// one whose log or journal would first have to be recovered is copied, and the copy is read.
public final class InspectedDatabase {
  /// How the file is read.
  public enum Access: Sendable { case shared, immutable, copy }

  /// The file, its links resolved.
  public let path: String
  /// How the file is read.
  public let access: Access
  /// The connection to read through.
  public var connection: Connection { owner.connection }
  private let owner: Owner

  /// Closes the connection before its folder goes.
  private final class Owner {
    let connection: Connection
    let folder: URL?
    init(_ connection: Connection, folder: URL? = nil) {
      self.connection = connection
      self.folder = folder
    }
    deinit {
      if let folder { try? FileManager.default.removeItem(at: folder) }
    }
  }

  /// Opens a database file and reads its schema once.
  ///
  /// - Parameter busyTimeout: how long to wait for another program's lock, in milliseconds.
  /// - Throws: ``InspectionError``.
  public init(path: String, busyTimeout: Int32 = 2000) throws(InspectionError) {
    var isDirectory = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw .missing(path)
    }
    guard !isDirectory else { throw .notAFile(path) }
    guard Glibc.access(path, R_OK) == 0 else {
      throw .unreadable(path, reason: String(cString: strerror(errno)))
    }
    let file = URL(filePath: path).resolvingSymlinksInPath().path
    let access = Self.access(to: file)
    do {
      (owner, self.access) = try Self.open(file, access, busyTimeout)
    } catch {
      throw InspectionError(error, path: path)
    }
    self.path = file
  }

  /// Chooses by the side files and the journal mode in the file's header.
  static func access(to path: String) -> Access {
    guard isWriteAheadLogged(path), let log = size(path + "-wal") else {
      return isWriteAheadLogged(path) ? .immutable : .shared
    }
    let isInUse = size(path + "-shm") != nil
    return isInUse ? .shared : log == 0 ? .immutable : .copy
  }

  private static func open(
    _ path: String, _ access: Access, _ busyTimeout: Int32
  ) throws -> (Owner, Access) {
    do {
      let owner =
        switch access {
        case .shared: Owner(try Connection(path: path, mode: .readOnly, busyTimeout: busyTimeout))
        case .immutable: Owner(try Connection(path: path, mode: .immutable))
        case .copy: try copy(of: path)
        }
      try owner.connection.execute("SELECT count(*) FROM sqlite_schema; PRAGMA temp_store = MEMORY")
      return (owner, access)
    } catch let error as SQLiteError where access == .shared && error.needsRecovery {
      return try open(path, .copy, busyTimeout)
    }
  }

  /// Copies the file with its log or journal, so that SQLite can recover the copy.
  private static func copy(of path: String) throws -> Owner {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "storescope-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let copy = folder.appending(path: "copy.sqlite").path
    do {
      for side in ["", "-wal", "-journal"] where size(path + side) != nil {
        try FileManager.default.copyItem(atPath: path + side, toPath: copy + side)
      }
      return Owner(try Connection(path: copy, mode: .readWrite), folder: folder)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  private static func size(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Bytes 18 and 19 of the header are 2 in WAL mode: <https://www.sqlite.org/fileformat.html>.
  private static func isWriteAheadLogged(_ path: String) -> Bool {
    guard let file = FileHeader(path: path) else { return false }
    return file.bytes.count >= 20 && (file.bytes[18] == 2 || file.bytes[19] == 2)
  }
}

extension SQLiteError {
  /// Whether a read-only connection found a log or a journal that only a writer can work off.
  fileprivate var needsRecovery: Bool { code == SQLITE_READONLY || code == SQLITE_CANTOPEN }
}
