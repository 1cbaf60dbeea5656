// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import TraceAnalysis
import TraceRendering

/// An input of a kind, written anew with other damage for each seed.
struct FuzzedInput {
  enum Kind: String { case log, coreDataLog = "core-data-log", json, ctf }

  let kind: Kind
  private let folder: URL
  /// Whole inputs, each of one file or more, by their names.
  private let samples: [[String: [UInt8]]]

  var path: String { folder.appending(path: kind == .ctf ? "case" : "case/input").path }

  init(_ kind: Kind, in folder: URL) throws {
    self.kind = kind
    self.folder = folder
    samples =
      switch kind {
      case .log: try FuzzedSamples.logs().map { ["input": $0] }
      case .coreDataLog: [["input": Array(FuzzedSamples.coreDataLog.utf8)]]
      case .json: try [["input": FuzzedSamples.report()]]
      case .ctf: try FuzzedSamples.traces(in: folder)
      }
  }

  /// Writes the case of a seed.
  func write(seed: UInt64) throws {
    let place = folder.appending(path: "case")
    try? FileManager.default.removeItem(at: place)
    var damage = Damage(seed: seed, words: kind == .json ? Damage.jsonWords : Damage.logWords)
    var files = damage.choose(samples) ?? [:]
    // Most damage lies in one file, as on a disk.
    for _ in 0..<damage.number(in: 1...2) {
      guard let name = damage.choose(files.keys.sorted()) else { break }
      files[name] = damage.damaged(files[name] ?? [], isText: isText(name))
      if damage.number(in: 0...99) == 0 { files[name] = nil }
    }
    for (name, bytes) in files {
      let file = place.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
  }

  private func isText(_ name: String) -> Bool { kind != .ctf || name.hasSuffix("metadata") }
}
