// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TransitModel

struct All: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reads every stop time, a batch at a time, and prints the memory it took.",
    discussion: """
      Example: transit all --batch-size 50

      Compare with --batch-size 0, which loads all of them at once.
      """)

  @Option(
    help: ArgumentHelp("How many to load at a time; 0 for all at once.", valueName: "n"))
  var batchSize = 50

  @OptionGroup var store: StoreOption

  func validate() throws {
    guard batchSize >= 0 else {
      throw ValidationError("--batch-size takes a number from 0 up, not \(batchSize).")
    }
  }

  func run() throws {
    let stops = try StopStore(path: store.path, version: .after)
    let before = ProcessMemory.current
    let all = try stops.readAllStopTimes(batchSize: batchSize)
    let how = batchSize == 0 ? "at once" : "in batches of \(batchSize)"
    print("\(all.count) stop times, known after \(all.fetchTime.milliseconds)")
    if let departures = all.departures {
      print("first departure \(departures.lowerBound), last \(departures.upperBound)")
    }
    print("read \(how) in \(all.readTime.milliseconds)")
    if let before {
      print("memory: \(before.megabytes) MB before, \(all.peakMemory.megabytes) MB at most")
    }
  }
}

extension Int {
  /// `84.2` for 84,212,000 bytes.
  fileprivate var megabytes: String { (Double(self) / 1e6).digits(1) }
}
