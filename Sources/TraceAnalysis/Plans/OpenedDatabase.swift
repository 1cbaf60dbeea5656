// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// A database file that a program opened while it was observed.
public struct OpenedDatabase: Hashable, Sendable {
  /// The path of the file.
  public var path: String
  private let device: UInt64
  private let inode: UInt64

  /// Nil for a database in memory, or a temporary one.
  init?(_ event: ConnectionOpened) {
    guard !event.path.isEmpty, event.inode != 0 else { return nil }
    (path, device, inode) = (event.path, event.device, event.inode)
  }

  /// Whether the path is still the file that the program opened.
  public var isStillThere: Bool {
    var status = stat()
    return stat(path, &status) == 0 && UInt64(status.st_dev) == device
      && UInt64(status.st_ino) == inode
  }
}

extension Profile {
  /// The databases that the programs opened, the one with most time in its statements first.
  public var openedDatabases: [OpenedDatabase] {
    guard openedFiles.count > 1 else { return openedFiles }
    var times: [String: Nanoseconds] = [:]
    for statement in statements {
      if let databases = databaseRuns[statement.id] {
        for runs in databases {
          times[runs.path] = (times[runs.path] ?? 0).saturatingSum(runs.work.totalTime)
        }
        continue
      }
      for path in databases[statement.id] ?? [] {
        times[path] = (times[path] ?? 0).saturatingSum(statement.work.totalTime)
      }
    }
    return openedFiles.sorted { a, b in
      (times[b.path] ?? 0, a.path) < (times[a.path] ?? 0, b.path)
    }
  }
}
