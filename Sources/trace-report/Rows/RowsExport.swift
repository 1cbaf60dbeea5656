// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

/// Writes inputs as folders of JSON lines that DuckDB, ClickHouse and Spark read as tables.
struct RowsExport {
  let inputs: Inputs
  let filter: EventFilter
  let folder: String

  /// - Returns: the number of rows of events that were written.
  func run() throws -> UInt64 {
    var progress = Progress("events read")
    defer { progress.end() }
    var counted = CountedRecordings(requiresIdentity: true)
    var written: UInt64 = 0
    for path in inputs.paths { written &+= try export(path, &counted, &progress) }
    return written
  }

  private func export(
    _ path: String, _ counted: inout CountedRecordings, _ progress: inout Progress
  ) throws -> UInt64 {
    let files = RowFolder(folder)
    let profile: Profile
    var written: UInt64 = 0
    if try InputContent.isJSON(path: path) {
      profile = try Inputs.saved(path, filter)
    } else {
      let pass = EventPass(path, filter)
      var rows = EventRows(labels: pass.labels) { try files.write($0, $1) }
      profile = try pass.read(&progress) { try rows.add($0) }
      written = rows.written
    }
    if profile.isEmpty { throw Failure.noEvents([path]) }
    if profile.isFilteredAway {
      throw Failure.nothing(of: profile.selection, in: [path], entities: [])
    }
    try counted.add(profile, name: path)
    var sums = SumRows(profile)
    var last: RowPartition?
    try sums.write { partition, line in
      // A sum over a thousand hosts has a thousand partitions.
      if let known = last, known != partition { try files.close() }
      last = partition
      try files.write(partition, line)
    }
    for table in SumRows.tables { try files.write(sums.partition(of: table), "") }
    try files.publish(as: Self.name(profile))
    for sentence in profile.completeness.doubts { Output.complain(LogText.escaped(sentence)) }
    return written
  }

  /// The id of the recording; for several, the hash of their ids.
  private static func name(_ profile: Profile) -> String {
    let ids = profile.reading.sources.compactMap(\.identity?.id).sorted()
    guard ids.count != 1 else { return ids[0] }
    var hash = ContentHash()
    for id in ids { hash.add(id) }
    return hash.text
  }
}
