// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import ObjectStore
import TestSupport

/// Opens hostile stores, reads all of them, changes a little and saves: whatever ends this process,
/// or writes without a request, is a bug.
///
/// FOLDER/case holds the store at hand and FOLDER/seed its seed, so that the one that ends the
/// process is kept. Traps end it by themselves, hangs by a timer, and memory by a limit.
public struct HostileRun {
  private let folder: URL
  private let template: URL
  private(set) var counts: [String: Int] = [:]

  public init(_ folder: URL) throws {
    self.folder = folder
    template = folder.appending(path: "template", directoryHint: .isDirectory)
    guard !FileManager.default.fileExists(atPath: template.path) else { return }
    try FileManager.default.createDirectory(at: template, withIntermediateDirectories: true)
    try HostileModel.fill(template.appending(path: "store.sqlite"))
  }

  /// - Throws: a sentence with the seed if the store wrote without a request.
  public mutating func run(_ seeds: Range<UInt64>) throws {
    Self.setLimits()
    for seed in seeds {
      try Data("\(seed)\n".utf8).write(to: folder.appending(path: "seed"))
      Self.startTimer()
      try run(seed)
    }
  }

  /// The outcome of the stores, such as `170 opened, 130 refused, 300 stores`.
  public var report: String {
    counts.sorted { $0.key < $1.key }.map { "\($1) \($0)" }.joined(separator: ", ")
  }

  private mutating func count(_ what: String) { counts[what, default: 0] += 1 }

  private mutating func run(_ seed: UInt64) throws {
    let place = folder.appending(path: "case", directoryHint: .isDirectory)
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.copyItem(at: template, to: place)
    let url = place.appending(path: "store.sqlite")
    var database = HostileDatabase(url, seed: seed)
    try database.damage()
    try Data(database.steps.joined(separator: "\n").utf8).write(to: folder.appending(path: "steps"))
    let action = HostileAction.allCases[database.number(0...HostileAction.allCases.count - 1)]
    if action == .read { return try checkReading(url, &database, seed) }
    let before = HostileContent(url)
    let asked = work(url, action, &database)
    count("stores")
    guard let before else { return count("unreadable for SQLite") }
    guard let after = HostileContent(url) else {
      throw HostileFailure(seed, database.steps, ["SQLite cannot read the file any more"])
    }
    let changes = before.changes(in: after) { table, row, column in
      asked.mayChange(table, row, column) || !database.hasItsSchema && HostileRequest.isOwn(table)
    }
    // An opening may fill and rename where the schema was damaged; it still loses nothing.
    let unasked = database.hasItsSchema ? changes : changes.filter { $0.hasSuffix("is gone") }
    guard unasked.isEmpty else {
      throw HostileFailure(seed, database.steps + ["\(action)"], unasked)
    }
    count("compared")
  }

  /// A read-only opening leaves all files as they are.
  private mutating func checkReading(
    _ url: URL, _ database: inout HostileDatabase, _ seed: UInt64
  ) throws {
    let place = url.deletingLastPathComponent()
    let before = try FolderSnapshot(place)
    _ = work(url, .read, &database)
    count("stores")
    let after = try FolderSnapshot(place)
    guard after == before else {
      throw HostileFailure(seed, database.steps, ["before:", "\(before)", "after:", "\(after)"])
    }
    count("compared")
  }

  /// A refusal of the store is as good as success.
  private mutating func work(
    _ url: URL, _ action: HostileAction, _ database: inout HostileDatabase
  ) -> HostileRequest {
    var request = HostileRequest()
    let container: PersistentContainer
    do {
      container = try HostileModel.open(url, readOnly: action == .read)
    } catch {
      _ = "\(error)"
      count("refused")
      return request
    }
    defer { container.close() }
    count("opened")
    HostileReading.readAll(container)
    guard action != .read, action != .open else { return request }
    do {
      try action.run(in: container, &request, &database)
      count("saved")
    } catch {
      // Its words must not trap either.
      _ = "\(error)"
      count("save refused")
    }
    return request
  }

  // MARK: - Limits

  private static func setLimits() {
    var memory = rlimit(rlim_cur: 6 << 30, rlim_max: 6 << 30)
    if !hasAddressSanitizer { setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory) }
    var core = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
  }

  /// From here on SIGPROF or SIGALRM ends a process that is still at it.
  private static func startTimer() {
    var timer = itimerval()
    timer.it_value.tv_sec = 20
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
    alarm(120)
  }
}

/// A write that was not requested.
struct HostileFailure: Error, CustomStringConvertible {
  let description: String

  init(_ seed: UInt64, _ steps: [String], _ changes: [String]) {
    description =
      "seed \(seed)\n" + steps.map { "  \($0)\n" }.joined()
      + changes.prefix(10).map { "    \($0)\n" }.joined()
  }
}
