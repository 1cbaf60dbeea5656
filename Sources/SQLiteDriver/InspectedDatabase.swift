// SPDX-License-Identifier: Apache-2.0

import CSQLite
import CSQLiteFiles
public import FoundationEssentials
import Glibc

/// A database that belongs to another program, opened for inspection: neither it nor a file beside it
/// is made, changed, removed or opened for writing.
///
/// One whose journal, or whose log in use, would first have to be recovered is copied, and the copy is
/// read.
public final class InspectedDatabase {
  /// The file, its links resolved.
  public let path: String
  /// Whether a copy of the file is read.
  public var isCopy: Bool { owner.folder != nil }
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
    func readSchema() throws(SQLiteError) {
      try connection.execute("SELECT count(*) FROM sqlite_schema; PRAGMA temp_store = MEMORY")
    }
    deinit {
      if let folder { try? FileManager.default.removeItem(at: folder) }
    }
  }

  /// Opens a database file and reads its schema once.
  ///
  /// - Parameter busyTimeout: how long to wait for another program's lock, in milliseconds.
  public init(path: String, busyTimeout: Int32 = 2000) throws(InspectionError) {
    var isDirectory = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw .missing(path)
    }
    guard !isDirectory else { throw .notAFile(path) }
    guard Glibc.access(path, R_OK) == 0 else {
      throw .unreadable(path, reason: String(cString: strerror(errno)))
    }
    if let fault = FileFault(path) { throw .fault(fault) }
    let file = URL(filePath: path).resolvingSymlinksInPath().path
    do {
      owner = try Self.open(file, busyTimeout)
    } catch {
      throw InspectionError(error, path: path)
    }
    self.path = file
  }

  /// Opens a private database, which is removed with its folder.
  public init(privateFile path: String, in folder: URL) throws(SQLiteError) {
    owner = Owner(try Connection(path: path, mode: .guarded), folder: folder)
    self.path = path
    try owner.readSchema()
  }

  private static func open(_ path: String, _ busyTimeout: Int32) throws -> Owner {
    do {
      let owner = Owner(try Connection(path: path, mode: .guarded, busyTimeout: busyTimeout))
      try owner.readSchema()
      return owner
    } catch {
      guard error.needsRecovery else { throw error }
      let owner = try copy(of: path)
      try owner.readSchema()
      return owner
    }
  }

  /// Copies the file with its log or journal, so that SQLite can recover the copy.
  private static func copy(of path: String) throws -> Owner {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "storescope-\(UUID().uuidString)", directoryHint: .isDirectory)
    guard mkdir(folder.path, 0o700) == 0 else { throw notCopied(path, errno) }
    let copy = folder.appending(path: "copy.sqlite").path
    do {
      for side in ["", "-wal", "-journal"] {
        let code = CSQLiteFiles_copy(path + side, copy + side)
        guard code == 0 || code == ENOENT && !side.isEmpty else { throw notCopied(path, code) }
      }
      return Owner(try Connection(path: copy, mode: .readWrite), folder: folder)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  private static func notCopied(_ path: String, _ code: Int32) -> InspectionError {
    code == EAGAIN
      ? .locked(path) : .notCopied(path, reason: String(cString: strerror(code)))
  }
}

extension SQLiteError {
  /// Whether a read-only connection found a log or a journal that only a writer can work off.
  fileprivate var needsRecovery: Bool { code == SQLITE_READONLY || code == SQLITE_CANTOPEN }
}
