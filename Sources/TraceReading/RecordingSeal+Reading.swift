// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import StoreEvents

extension RecordingSeal {
  /// The labels of a trace before it is read; empty if it has none, or is not a folder.
  ///
  /// Unchecked: only reading the trace reports whether they were changed.
  public static func labels(ofTrace folder: String) -> [String: String] {
    if RelayFolder.isRecording(folder) { return RelayFolder.labels(of: folder) }
    guard let data = try? Data(contentsOf: URL(filePath: "\(folder)/\(fileName)")) else {
      return [:]
    }
    return (try? BoundedJSON.decode(Self.self, from: data))?.labels ?? [:]
  }

  /// Records whether a trace is complete, and how its program ended.
  static func check(_ folder: String, _ ledger: SourceLedger) {
    let path = "\(folder)/\(fileName)"
    guard FileManager.default.fileExists(atPath: path) else {
      guard !RelayFolder.isRecording(folder) else { return checkRelayed(folder, ledger) }
      // A recorder removes its mark when all is written.
      if FileManager.default.fileExists(atPath: "\(folder)/\(RecordingMark.fileName)") {
        ledger.addProblem("its recorder was killed; what was not written yet is missing")
        return
      }
      ledger.addUnended(
        "it has no \(fileName): trace-report record did not write it, or was killed")
      return
    }
    guard let data = try? Data(contentsOf: URL(filePath: path)),
      let seal = try? BoundedJSON.decode(Self.self, from: data)
    else {
      ledger.addProblem("its \(fileName) cannot be read")
      return
    }
    switch seal.fits(folder) {
    case true?:
      if let failure = seal.failure { ledger.addFailure(failure) }
      if let labels = seal.labels { ledger.addLabels(labels) }
      if let names = seal.leftRunning, !names.isEmpty {
        ledger.addProblem(
          "still running when the recording ended: \(names.joined(separator: ", ")); what "
            + "\(names.count == 1 ? "it" : "they") did after that is missing")
      }
      if let limit = seal.logLimit {
        ledger.addProblem(
          "its log ended at \(limit >> 20) MiB; what happened after that is missing")
      }
      for process in seal.untraced ?? [] { ledger.addProblem("not recorded: \(process)") }
    case false?: ledger.addProblem("its files are not as they were recorded")
    case nil: ledger.addProblem("its files cannot be read: \(systemError())")
    }
  }
  /// The same for a recording that was sent through a relay daemon, which writes no seal.
  private static func checkRelayed(_ folder: String, _ ledger: SourceLedger) {
    let labels = RelayFolder.labels(of: folder)
    if !labels.isEmpty { ledger.addLabels(labels) }
    guard let end = RelayFolder.end(of: folder) else {
      ledger.addProblem(
        "its recording has not ended, or its recorder or its relay was lost; what was not sent "
          + "until then is missing")
      return
    }
    switch end {
    case .exit(0), .unseen: break
    case .exit(let code): ledger.addFailure("the program ended with code \(code)")
    case .signal(let number): ledger.addFailure("the program was ended by signal \(number)")
    }
    ledger.addUnended("it came through a relay, so it has no hash to check")
  }
}
