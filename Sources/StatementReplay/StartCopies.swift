// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The databases as they were when a recording began, in its folder.
///
///     trace/start/databases.json   {"/srv/app.db": "1.sqlite", "/srv/new.db": null}
///     trace/start/1.sqlite
public struct StartCopies {
  private static let folder = "start"
  private static let list = "databases.json"
  private let paths: [String]

  init(_ paths: [String]) { self.paths = paths }

  /// Copies databases into the folder of a recording, before its program starts.
  public static func make(
    of databases: [String], in recording: String, progress: (Int, Int) -> Void
  ) throws(ReplayError) {
    let folder = "\(recording)/\(Self.folder)"
    guard mkdir(folder, 0o700) == 0 else {
      throw .database(folder, reason: String(cString: strerror(errno)))
    }
    do throws(ReplayError) {
      try fill(folder, with: databases, progress: progress)
    } catch {
      try? FileManager.default.removeItem(atPath: folder)
      throw error
    }
  }

  private static func fill(
    _ folder: String, with databases: [String], progress: (Int, Int) -> Void
  ) throws(ReplayError) {
    var copies: [String: String?] = [:]
    for (index, path) in databases.enumerated() {
      let resolved = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
      guard access(resolved, F_OK) == 0 else {
        copies[resolved] = .some(nil)
        continue
      }
      let name = "\(index + 1).sqlite"
      try ReplayFolder.copy(resolved, to: "\(folder)/\(name)", progress: progress)
      chmod("\(folder)/\(name)", 0o600)
      copies[resolved] = name
    }
    do {
      try JSONEncoder().encode(copies).write(to: URL(filePath: "\(folder)/\(list)"))
    } catch {
      throw .database(folder, reason: "\(error)")
    }
  }

  /// The source of each copy by the path that the program opened; nil instead of one for a new file.
  func starts(database: String?) throws -> [String: String?] {
    var starts: [String: String?] = [:]
    for path in paths {
      let folder = "\(path)/\(Self.folder)"
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(Self.list)") else {
        continue
      }
      for (database, name) in try JSONDecoder().decode([String: String?].self, from: data) {
        // The list may be from another host: a path in it is not followed.
        let copy = name.flatMap { $0.contains("/") ? nil : "\(folder)/\($0)" }
        starts.updateValue(copy, forKey: database)
      }
    }
    guard let database else { return starts }
    starts.updateValue(database, forKey: try recorded(database))
    return starts
  }

  /// The recorded path of a database that was passed: the same, of the same name, or the only one.
  private func recorded(_ database: String) throws -> String {
    let recorded = try RecordedDatabases.paths(in: paths)
    let resolved = URL(filePath: database).standardizedFileURL.resolvingSymlinksInPath()
    if recorded.contains(resolved.path) { return resolved.path }
    let named = recorded.filter {
      URL(filePath: $0).lastPathComponent == resolved.lastPathComponent
    }
    if named.count == 1 { return named[0] }
    guard recorded.count == 1 else {
      throw ReplayError.unknownDatabase(database, recorded: recorded)
    }
    return recorded[0]
  }
}
