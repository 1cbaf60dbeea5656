// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import TransitModel

struct Import: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a store of a GTFS feed.",
    discussion: "Example: transit import --gtfs feed.zip --store feed.sqlite")

  @Option(help: "The feed: a folder or a .zip with stops.txt and stop_times.txt.")
  var gtfs: String

  @OptionGroup var target: NewStoreOption

  func run() async throws {
    let path = target.store.path
    let feed = try await GTFSFeed(path: gtfs)
    var reader = GTFSReader(feed)
    var counts = (stops: 0, stopTimes: 0)
    try await NewStore.make(at: path, replacing: target.force) { writer in
      counts = try await writer.write(&reader)
    }
    for sentence in reader.remarks.sentences { FileHandle.standardError.print(sentence) }
    print("made \(path): \(counts.stops) stops, \(counts.stopTimes) stop times")
  }
}
