// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import StoreEvents

/// The recordings in a folder.
enum Recordings {
  /// The recording in the current folder that was written last.
  static func newest() throws -> String {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
    let newest = (["."] + names).compactMap { name in
      modification(of: "\(name)/\(RecordingSeal.fileName)").map { (name: name, time: $0) }
    }.max { ($0.time, $0.name) < ($1.time, $1.name) }
    guard let newest else {
      throw ValidationError(
        "No recording in this folder. Record a program: trace-report record -- COMMAND; or name an input."
      )
    }
    return newest.name
  }

  /// In nanoseconds; nil if there is no such file.
  private static func modification(of path: String) -> Int64? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }
}
