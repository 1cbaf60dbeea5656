// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

/// Whether an input is a folder.
enum InputPath {
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

/// The data that `serve` shows: the sums of a running program, or of a folder to which recordings
/// are added.
protocol ServeSource: AnyObject {
  /// Reads new data, up to a time limit.
  func read() throws
  /// The sums so far; nil before the first event.
  func profile() -> Profile?
  /// Metrics in addition to the profile's, without the end marker of the text.
  var extraMetrics: String { get }
}

/// A growing log, a session, or a program that is started.
final class LiveServeSource: ServeSource {
  private let source: TopSource
  private var live = LiveProfile()

  init(_ source: TopSource) { self.source = source }

  func read() throws {
    try source.read(until: .now + .milliseconds(200)) { live.add($0) }
  }

  func profile() -> Profile? {
    source.hasEvents ? live.profile(of: source.reader.report) : nil
  }

  var extraMetrics: String { "" }
}

/// A folder of traces, logs and saved reports; each is added once, when it is complete.
final class FolderServeSource: ServeSource {
  private let folder: String
  private let baseline: BaselineV1?
  private var sum = ProfileSum()
  private var counted = CountedRecordings(requiresIdentity: true)
  /// By path: the size and time at the last scan.
  private var seen: [String: String] = [:]
  private var failed: Set<String> = []
  private var added: UInt64 = 0
  private var verdicts: [String: UInt64] = [:]
  private var hasComplained = false
  private var lastScan = ContinuousClock.now - .seconds(60)

  // A second is arbitrary: a scrape comes every few seconds. 100,000 paths take a few megabytes.
  private static let pause = Duration.seconds(1)
  private static let maxPaths = 100_000

  init(_ folder: String, baseline: BaselineV1?) {
    self.folder = folder
    self.baseline = baseline
    guard baseline != nil else { return }
    // Starts at 0, because Prometheus sees no increase in a series that starts at 1.
    for verdict in [GateResult.Verdict.same, .mixed, .regression, .inconclusive] {
      verdicts[verdict.rawValue] = 0
    }
  }

  func read() throws {
    guard ContinuousClock.now - lastScan >= Self.pause else { return }
    lastScan = .now
    for path in try paths() {
      guard Signals.end == nil, !ReadingInterruption.isRequested else { return }
      guard let mark = Self.mark(path), seen[path] != mark else { continue }
      guard seen[path] != nil || seen.count < Self.maxPaths else {
        complainOfPaths()
        continue
      }
      // A file that changes is read after it has been unchanged for one scan.
      guard seen[path] == "?" + mark else {
        seen[path] = "?" + mark
        continue
      }
      add(path)
      seen[path] = mark
    }
  }

  private func complainOfPaths() {
    guard !hasComplained else { return }
    hasComplained = true
    Output.complain(
      "\(LogText.quoted(folder)) has more than \(UInt64(Self.maxPaths).grouped) recordings; the "
        + "others are not added: merge old ones, and restart serve")
  }

  /// The recordings of the folder, or the folder itself if it is a recording.
  private func paths() throws -> [String] {
    if Self.mark(folder) != nil { return [folder] }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw Failure("cannot read the folder \(LogText.quoted(folder))")
    }
    return names.sorted().filter { !$0.hasPrefix(".") && !$0.hasSuffix(".part") }
      .flatMap { name -> [String] in
        let relayed = RelayFolder.recordings(beneath: "\(folder)/\(name)")
        return relayed.isEmpty ? ["\(folder)/\(name)"] : relayed
      }
  }

  private func add(_ path: String) {
    do {
      let profile = try Inputs.profile(of: [path])
      guard !profile.isEmpty else { throw Failure.noEvents([path]) }
      try counted.add(profile, name: path)
      sum.add(profile)
      added += 1
      if let baseline {
        let result = TraceAnalysis.Gate().compare(profile, with: baseline, tags: baseline.tags)
        verdicts[result.verdict.rawValue, default: 0] += 1
      }
    } catch {
      failed.insert(path)
      Output.complain((Failure.of(error) as? Failure)?.message ?? "\(error)")
    }
  }

  private static func mark(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    // A folder counts as a recording when it is sealed.
    if status.st_mode & S_IFMT == S_IFDIR {
      // A relayed recording is complete when its end is recorded.
      if RelayFolder.hasEnded(path) { return "\(status.st_ino)" }
      guard stat("\(path)/\(RecordingSeal.fileName)", &status) == 0 else { return nil }
    }
    return "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }

  func profile() -> Profile? { sum.profile }

  var extraMetrics: String {
    ProfileMetrics.recordings(added: added, failed: UInt64(failed.count), verdicts: verdicts)
  }
}
