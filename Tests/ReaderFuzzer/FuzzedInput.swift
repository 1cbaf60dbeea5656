// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import TraceAnalysis
import TraceRendering

/// An input of a kind, with other damage for each seed.
struct FuzzedInput {
  enum Kind: String {
    case log, coreDataLog = "core-data-log", statementLog = "statement-log", json, ctf
  }

  let kind: Kind
  private let folder: URL
  private let inputs: DamagedFiles

  var path: String { folder.appending(path: kind == .ctf ? "case" : "case/input").path }

  init(_ kind: Kind, in folder: URL) throws {
    self.kind = kind
    self.folder = folder
    inputs =
      switch kind {
      case .log: DamagedFiles(try FuzzedSamples.logs().map { ["input": $0] })
      case .coreDataLog: DamagedFiles([["input": Array(FuzzedSamples.coreDataLog.utf8)]])
      case .statementLog: DamagedFiles(StatementLogs.all.map { ["input": Array($0.utf8)] })
      case .json: DamagedFiles([["input": try FuzzedSamples.report()]], words: Damage.jsonWords)
      case .ctf: try .traces(in: folder)
      }
  }

  /// Writes the case of a seed.
  func write(seed: UInt64) throws {
    try inputs.files(seed: seed).write(to: folder.appending(path: "case"))
  }
}
