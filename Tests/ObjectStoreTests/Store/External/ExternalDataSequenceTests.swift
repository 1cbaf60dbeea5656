// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

/// Random sequences of saves, copies, moves, backups and removals of many stores in one directory,
/// compared with the expected values of each store: no value is ever lost.
@Suite struct ExternalDataSequenceTests {
  /// `EXTERNAL_SCALE=10` looks at ten times as many seeds.
  private static let scale =
    ProcessInfo.processInfo.environment["EXTERNAL_SCALE"].flatMap { Int($0) } ?? 1

  @Test(arguments: [(2, 15), (3, 15), (100, 1)])
  func noFileIsEverLost(stores: Int, seeds: Int) throws {
    for seed in 0..<UInt64(seeds * Self.scale) {
      var run = try StoreSequence(seed: seed &+ 1, storeCount: stores)
      try run.run(steps: stores == 100 ? 400 : 60)
    }
  }
}

/// One sequence of steps in one directory.
struct StoreSequence {
  private let stores: StoreFolder
  private var generator: SeededGenerator
  private let names: [String]
  private let seed: UInt64
  /// The expected values, by the name of the store.
  private var expected: [String: [String: Data]] = [:]
  private var open: [String: PersistentContainer] = [:]
  private var backup: (files: TemporaryDirectory, name: String, values: [String: Data])?
  private var trace: [String] = []
  private var next = 0

  init(seed: UInt64, storeCount: Int) throws {
    stores = try StoreFolder()
    generator = SeededGenerator(seed)
    self.seed = seed
    var names: Set<String> = []
    let bases = ["photos", "PHOTOS", "Photos", "photos.sqlite", "photos-2", "album", "photos copy"]
    let ends = [
      "", ".sqlite", ".db", ".SQLITE", ".store", ".backup", "~", ".bak", ".1", ".2", ".old",
    ]
    while names.count < storeCount {
      let number = storeCount > 20 ? "\(generator.next() % 5)" : ""
      names.insert(Self.pick(bases, &generator) + number + Self.pick(ends, &generator))
    }
    self.names = names.sorted()
  }

  private static func pick<T>(_ items: [T], _ generator: inout SeededGenerator) -> T {
    items[Int(generator.next() % UInt64(items.count))]
  }

  private mutating func pick(_ items: [String]) -> String? {
    items.isEmpty ? nil : Self.pick(items, &generator)
  }

  private mutating func chance(_ percent: UInt64) -> Bool { generator.next() % 100 < percent }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      try step()
      if let name = pick(expected.keys.sorted()) { try check(name) }
    }
    for name in open.keys.sorted() { close(name) }
    for name in expected.keys.sorted() { try check(name) }
  }

  private mutating func step() throws {
    let existing = expected.keys.sorted()
    let closed = existing.filter { open[$0] == nil }
    switch generator.next() % 12 {
    case 0...4:
      guard let name = pick(names) else { return }
      try save(name)
    case 5:
      guard let name = pick(open.keys.sorted()) else { return }
      close(name)
    case 6, 7:
      guard let name = pick(closed), let other = free(name) else { return }
      let withFolder = chance(50)
      note("copy \(name) to \(other)\(withFolder ? " with its folder" : "")")
      try stores.copy(name, to: other, withFolder: withFolder)
      expected[other] = expected[name]
    case 8, 9:
      guard let name = pick(closed), let other = free(name) else { return }
      let withFolder = chance(50)
      note("move \(name) to \(other)\(withFolder ? " with its folder" : "")")
      try stores.move(name, to: other, withFolder: withFolder)
      expected[other] = expected.removeValue(forKey: name)
    case 10:
      guard let name = pick(closed) else { return }
      if chance(40) {
        note("remove \(name)")
        try stores.remove(name)
        expected[name] = nil
      } else {
        try keepBackup(name)
      }
    default: try restoreBackup()
    }
  }

  /// A name that no open store has.
  private mutating func free(_ name: String) -> String? {
    pick(names.filter { $0 != name && open[$0] == nil })
  }

  private mutating func note(_ text: String) { trace.append(text) }

  private mutating func close(_ name: String) {
    note("close \(name)")
    open.removeValue(forKey: name)?.close()
  }

  private mutating func save(_ name: String) throws {
    let isOpen = open[name] != nil
    let container = try open[name] ?? stores.open(name, grace: chance(70) ? .zero : .seconds(60))
    var changes: [String: Data?] = [:]
    for _ in 0..<(1 + generator.next() % 3) {
      let known = (expected[name] ?? [:]).keys.sorted()
      if let label = pick(known), chance(60) {
        changes[label] = chance(50) ? .some(nil) : data()
      } else {
        next += 1
        changes["\(next)"] = data()
      }
    }
    note(
      "save \(name): \(changes.keys.sorted().map { "\($0) \(changes[$0] ?? nil == nil ? "-" : "+")" })"
    )
    try container.setPhotos(changes)
    for (label, value) in changes { expected[name, default: [:]][label] = value }
    if chance(10) { try container.deleteOrphanedExternalFiles(olderThan: .zero) }
    if isOpen || chance(50) { open[name] = container } else { container.close() }
  }

  private mutating func data() -> Data {
    next += 1
    return .sample(chance(80) ? 101 + next % 300 : 10, seed: next)
  }

  private mutating func keepBackup(_ name: String) throws {
    note("back up \(name)")
    let files = try TemporaryDirectory()
    try FileManager.default.copyItem(atPath: stores.path(name), toPath: files.path("store"))
    // Files that the folder lacks are with another store of the directory: a backup of this one
    // takes all.
    for support in try FileManager.default.contentsOfDirectory(atPath: stores.url.path)
    where support.hasSuffix("_SUPPORT") {
      try stores.merge(
        stores.path(support) + "/_EXTERNAL_DATA", files.path("folder/_EXTERNAL_DATA"))
    }
    backup = (files, name, expected[name] ?? [:])
  }

  private mutating func restoreBackup() throws {
    guard let backup, open[backup.name] == nil else { return }
    note("restore \(backup.name)")
    try stores.remove(backup.name)
    try FileManager.default.copyItem(
      atPath: backup.files.path("store"), toPath: stores.path(backup.name))
    if FileManager.default.fileExists(atPath: backup.files.path("folder")) {
      try stores.merge(
        backup.files.path("folder"), stores.path(StoreFolder.support(backup.name)))
    }
    expected[backup.name] = backup.values
  }

  private mutating func check(_ name: String) throws {
    let readOnly = chance(40)
    do {
      let values =
        try open[name].map { try $0.photoValues() } ?? stores.values(name, readOnly: readOnly)
      guard values == expected[name] else { throw SequenceFailure("\(name) has other values") }
    } catch {
      throw SequenceFailure(
        "seed \(seed), \(name): \(error)\n" + trace.suffix(60).joined(separator: "\n"))
    }
  }
}

struct SequenceFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
