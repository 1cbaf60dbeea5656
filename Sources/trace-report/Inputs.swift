// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import TraceAnalysis
import TraceReading
import TraceRendering

/// The traces, logs and saved reports that a command reads.
struct Inputs: ParsableArguments {
  @Argument(
    help: """
      CTF folders, debug logs, logs of Core Data, and reports saved with --json; - is standard input.
      """)
  var paths: [String]

  /// Reads all of them, with progress on a terminal if that takes over a second.
  func profile(_ filter: EventFilter = EventFilter()) throws -> Profile {
    try Self.profile(of: paths, filter)
  }

  static func profile(of paths: [String], _ filter: EventFilter = EventFilter()) throws -> Profile {
    var progress = Progress("events read")
    defer { progress.end() }
    do {
      let saved = try paths.filter { try InputContent.isJSON(path: $0) }
      let profiles = try saved.map { path in
        guard filter.isEmpty else { throw SavedReportError.notFiltered(path) }
        return try SavedReport.profile(in: Data(InputContent.bytes(path: path)), name: path)
      }
      let traces = paths.filter { !saved.contains($0) }
      guard !traces.isEmpty else { return .merged(profiles) }
      let traced = try Profile(reading: traces, filter: filter) { progress.report($0) }
      return .merged([traced] + profiles)
    } catch let error as TraceReadingError {
      throw Failure(error)
    } catch let error as SavedReportError {
      throw Failure("\(error)", status: ExitStatus.failed)
    }
  }
}
