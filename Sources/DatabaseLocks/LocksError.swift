// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why a database's locks cannot be observed.
public enum LocksError: Error, Hashable, Sendable {
  case noSuchFile(String, code: Int32)
  case notAFile(String)
  case noLockTable(code: Int32)
}

extension LocksError: CustomStringConvertible {
  /// One sentence: the problem, and the advice.
  public var description: String {
    switch self {
    case .noSuchFile(let path, ENOENT): "no such database file: '\(path)'; check the path"
    case .noSuchFile(let path, let code):
      "'\(path)' cannot be found: \(String(cString: strerror(code))); "
        + "run as the owner of its folder or as root"
    case .notAFile(let path): "'\(path)' is not a regular file; name the database file"
    case .noLockTable(let code):
      "/proc/locks cannot be read: \(String(cString: strerror(code))); mount /proc, "
        + "or run this on the host"
    }
  }
}
