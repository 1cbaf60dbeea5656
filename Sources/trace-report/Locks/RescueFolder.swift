// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DatabaseLocks
import Glibc
import SQLiteDriver
import StoreEvents

/// Saves files that processes have open and that would be lost, into a new folder, and checks the copies.
struct RescueFolder {
  let path: String

  /// - Throws: ``Failure``.
  func save(_ observer: LockObserver) throws {
    let sources = observer.rescueSources
    guard !sources.isEmpty else {
      throw Failure(
        "nothing to save: no program has a deleted file of \(LogText.quoted(observer.path)) open, as far "
          + "as can be seen; run as root to see the programs of other users",
        status: ExitStatus.inconclusive)
    }
    try make(for: observer.path)
    for (number, source) in sources.enumerated() {
      let folder = sources.count == 1 ? path : "\(path)/\(number + 1)"
      if sources.count > 1 { try Self.make(folder) }
      let rescue: FileRescue
      do {
        rescue = try FileRescue(source, to: folder)
      } catch {
        throw Failure(LogText.escaped("\(error)"), status: ExitStatus.inconclusive)
      }
      try report(rescue, source)
    }
  }

  /// The folder is new, and is not removed with the database's.
  private func make(for database: String) throws {
    let parts = database.split(separator: "/").dropLast()
    let folder = "/" + parts.joined(separator: "/")
    let parent = Self.parent(path)
    defer { free(parent) }
    if let parent, (String(cString: parent) + "/").hasPrefix(folder + "/") {
      throw Failure(
        "\(LogText.quoted(path)) is in the folder of the database, where files were deleted; name a folder "
          + "outside of \(LogText.quoted(folder))", status: .validationFailure)
    }
    try Self.make(path)
  }

  private static func parent(_ path: String) -> UnsafeMutablePointer<CChar>? {
    let trimmed = path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let slash = trimmed.lastIndex(of: "/") else { return realpath(".", nil) }
    return realpath(slash == trimmed.startIndex ? "/" : String(trimmed[..<slash]), nil)
  }

  private static func make(_ folder: String) throws {
    guard mkdir(folder, 0o700) == 0 else {
      let reason = String(cString: strerror(errno))
      throw Failure(
        "the folder \(LogText.quoted(folder)) cannot be created: \(reason); name a folder that does not "
          + "exist, in one that does")
    }
  }

  private func report(_ rescue: FileRescue, _ source: RescueSource) throws {
    guard let database = rescue.paths.first else { return }
    let names = rescue.paths.map(LogText.quoted).joined(separator: " and ")
    var text = "Saved \(names) from \(source.process.program)[\(source.process.pid)]"
    if rescue.paths.contains(where: { $0.hasSuffix("-wal") }) {
      text += ", with \(rescue.transactions.counted("transaction")) in the log"
    }
    let problems = try Self.problems(in: database)
    guard problems.isEmpty else {
      throw Failure(
        "\(text), but the copy is damaged: \(LogText.escaped(problems.joined(separator: "; "))); keep it, "
          + "and save it again while the program runs", status: ExitStatus.inconclusive)
    }
    Output.print(
      text + ". integrity_check: ok.\n"
        + "Keep the files together. SQLite opens \(LogText.quoted(database)) with what is in the log.\n"
    )
  }

  /// Opens the copy without changing it.
  private static func problems(in database: String) throws -> [String] {
    do {
      let copy = try InspectedDatabase(path: database)
      let statement = try copy.connection.prepare("PRAGMA integrity_check(10)")
      var lines: [String] = []
      while try statement.step() { lines.append(statement.string(0)) }
      return lines == ["ok"] ? [] : lines
    } catch {
      return ["\(error)"]
    }
  }
}
