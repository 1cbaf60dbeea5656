// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import Reliability
import TestSupport
import Testing

/// How a disk fails.
struct DiskFailure: CustomTestStringConvertible, Sendable {
  var calls: FaultyDisk.Calls
  var fault: FaultyDisk.Fault
  var staysBroken: Bool

  var testDescription: String { "\(fault)\(staysBroken ? ", for good" : ", once")" }

  static let all = [false, true].flatMap { staysBroken in
    [
      DiskFailure(calls: .all, fault: .error, staysBroken: staysBroken),
      DiskFailure(calls: .growing, fault: .full, staysBroken: staysBroken),
      DiskFailure(calls: .write, fault: .shortWrite, staysBroken: staysBroken),
    ]
  }

  /// Runs work on copies of a folder, the first time with the first call failing, then with the
  /// second one, until no call fails any more.
  ///
  /// - Parameters:
  ///   - isLong: whether the work takes so many calls that, behind the first forty, only every
  ///     sixteenth part more is tried.
  ///   - prepare: makes the objects that the work needs, on the disk that does not fail yet.
  ///   - look: checks the store once the disk is repaired, and the thrown error, if any.
  /// - Returns: how often a call has failed.
  @discardableResult
  func sweep<Prepared>(
    _ template: TemporaryDirectory?, isLong: Bool = false,
    prepare: (URL, FaultyDisk) throws -> Prepared, work: (Prepared) throws -> Void,
    look: (URL, Prepared, (any Error)?, _ place: Comment) throws -> Void
  ) throws -> Int {
    let disk = FaultyDisk()
    var number = 0
    // No work here takes so many calls.
    while number < 100_000 {
      number += isLong && number > 40 ? number / 16 : 1
      let folder = try TemporaryDirectory()
      let copy = folder.url.appending(path: "store", directoryHint: .isDirectory)
      if let template {
        try FileManager.default.copyItem(at: template.url, to: copy)
      } else {
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
      }
      let url = copy.appending(path: "ledger.sqlite")
      let prepared = try prepare(url, disk)
      disk.fail(calls, number: number, staysBroken: staysBroken, with: fault)
      var thrown: (any Error)?
      do { try work(prepared) } catch { thrown = error }
      let outcome = disk.repair()
      let place: Comment = "call \(number) of kind \(outcome.call.rawValue)"
      if let thrown { expectClear(thrown, place) }
      guard outcome.failed > 0 else {
        #expect(thrown == nil, place)
        try look(url, prepared, thrown, place)
        return number - 1
      }
      try look(url, prepared, thrown, place)
    }
    Issue.record("the work never ended")
    return 0
  }

  /// Facts, and advice.
  private func expectClear(_ error: any Error, _ place: Comment) {
    switch error as? StoreError {
    case .inputOutput, .full, .cannotOpen: break
    default: Issue.record("\(error), \(place)")
    }
    #expect("\(error)".contains(";") && "\(error)".contains("'"), place)
  }
}
