// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Why SQLite must not open a database file: it would wait without end, or remove what the log or the
/// journal beside the file contains.
public enum FileFault: Error, Hashable, Sendable {
  /// A pipe, a socket or a device, or a link instead of a file beside the database.
  case notRegular(String)
  /// A file shorter than a page: SQLite takes it for new, and removes the file beside it.
  case cut(String, companion: String)

  // SQLite's smallest page.
  private static let minPageSize = 512

  /// Looks at the file and the files beside it by `stat()`, and opens none but a journal.
  ///
  /// - Parameter forWriting: whether an opening may work off a journal of a transaction that was to
  ///   make the database.
  /// - Returns: nil for a file without such a fault, or without existence.
  public init?(_ path: String, forWriting: Bool = false) {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    let file = String(cString: resolved)
    guard let database = Self.status(file) else { return nil }
    guard database.isRegular else {
      self = .notRegular(path)
      return
    }
    for companion in ["-wal", "-journal", "-shm"].map({ file + $0 }) {
      guard let status = Self.status(companion) else { continue }
      guard status.isRegular else {
        self = .notRegular(companion)
        return
      }
      guard database.st_size < Self.minPageSize, status.st_size > 0, !companion.hasSuffix("-shm"),
        !forWriting || companion.hasSuffix("-wal") || Self.restoresPages(companion)
      else { continue }
      self = .cut(path, companion: companion)
      return
    }
    return nil
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  /// Whether the database had pages when the journal was begun: bytes 16 to 19 are their number.
  ///
  /// See <https://www.sqlite.org/fileformat.html#the_rollback_journal>. SQLite locks no journal.
  private static func restoresPages(_ journal: String) -> Bool {
    guard let file = fopen(journal, "re") else { return true }
    defer { fclose(file) }
    var header = [UInt8](repeating: 0, count: 20)
    return fread(&header, 1, 20, file) == 20 && header[16...].contains { $0 != 0 }
  }
}

extension stat {
  fileprivate var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
}

extension FileFault: CustomStringConvertible {
  /// One sentence of fact, and one of advice.
  public var description: String {
    switch self {
    case .notRegular(let path): "'\(path)' is not a regular file; name a database file"
    case .cut(let path, let companion):
      "'\(path)' is shorter than a page, and SQLite would remove '\(companion)', which may contain "
        + "all that is left; copy both, and restore the database from a copy"
    }
  }
}
