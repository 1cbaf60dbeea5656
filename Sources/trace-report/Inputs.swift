// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

/// The traces, logs and saved reports that a command reads.
struct Inputs: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      """
      CTF folders, debug logs, logs of Core Data, and reports saved with --json; - is standard input; the newest \
      recording in this folder by default.
      """, valueName: "input"),
    completion: .file())
  var paths: [String] = []

  init() {}

  /// Inputs that a command has by another way than its arguments.
  init(_ paths: [String]) {
    self.paths = Self.expanded(paths)
  }

  // More paths than a line has room for are not written down again.
  private static let maxWords = 4

  /// The inputs as the words of another command; nil where they cannot be read again.
  var words: [String]? { paths.contains("-") || paths.count > Self.maxWords ? nil : paths }

  /// Reads the newest recording where none is named, and each recording of a relay as a separate input.
  mutating func validate() throws {
    paths = Self.expanded(paths.isEmpty ? [try Recordings.newest()] : paths)
  }

  /// Reads all of them, with progress on a terminal if that takes over a second.
  func profile(_ filter: EventFilter = EventFilter()) throws -> Profile {
    try Self.profile(of: paths, filter)
  }

  /// Reads them once for the sums and for the tracks over time.
  func timedProfile(_ filter: EventFilter) throws -> TimedProfile {
    try Self.read(paths, filter, isTimed: true)
  }

  /// Reads each input as a separate run.
  func distinctRuns() throws -> [Profile] {
    var known: [String: String] = [:]
    for path in paths {
      let content = try InputContent.hash(path: path)
      if let other = known.updateValue(path, forKey: content) {
        throw Failure(
          "\(LogText.quoted(path)) is the same run as \(LogText.quoted(other)); pass each run once",
          status: ExitStatus.inconclusive)
      }
    }
    return try paths.map { try Self.profile(of: [$0]) }
  }

  static func profile(of paths: [String], _ filter: EventFilter = EventFilter()) throws -> Profile {
    try read(paths, filter, isTimed: false).profile
  }

  private static func read(
    _ paths: [String], _ filter: EventFilter, isTimed: Bool
  ) throws -> TimedProfile {
    var progress = Progress("events read")
    defer { progress.end() }
    ReadingInterruption.catchSignals()
    let paths = expanded(paths)
    let saved = try paths.filter { try InputContent.isJSON(path: $0) }
    let profiles = try saved.map { try Self.saved($0, filter) }
    var counted = CountedRecordings(requiresIdentity: false)
    for (path, profile) in zip(saved, profiles) { try counted.add(profile, name: path) }
    let traces = paths.filter { !saved.contains($0) }
    guard !traces.isEmpty else { return TimedProfile(profile: .merged(profiles)) }
    // Tracks over time show all hosts together; sums keep the labels of each.
    let groups = isTimed ? [traces] : RelayFolder.groups(of: traces)
    var read = try groups.map { group in
      try TimedProfile(reading: group, filter: filter, isTimed: isTimed) { progress.report($0) }
    }
    guard !profiles.isEmpty || read.count > 1 else { return read[0] }
    for (group, timed) in zip(groups, read) {
      try counted.add(timed.profile, name: group.joined(separator: " "))
    }
    read[0].profile = .merged(read.map(\.profile) + profiles)
    return read[0]
  }

  /// The sums of a saved report, which has no events that a filter could select.
  static func saved(_ path: String, _ filter: EventFilter) throws -> Profile {
    guard filter.isEmpty else { throw SavedReportError.notFiltered(path) }
    return try SavedReport.profile(in: Data(InputContent.bytes(path: path)), name: path)
  }

  /// The inputs, with the recordings of a relay's folder instead of it.
  static func expanded(_ paths: [String]) -> [String] {
    paths.flatMap { path in
      let recordings = RelayFolder.recordings(beneath: path)
      return recordings.isEmpty ? [path] : recordings
    }
  }
}
