// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

/// Writes inputs as OTLP/JSON: the spans of traces and logs, and the sums of every input as metrics.
struct OTLPExport {
  let inputs: Inputs
  let filter: EventFilter
  let write: (String) throws -> Void

  func run() throws {
    let version = Version.current
    var progress = Progress("events read")
    defer { progress.end() }
    var counted = CountedRecordings(requiresIdentity: false)
    for path in inputs.paths {
      let profile: Profile
      if try InputContent.isJSON(path: path) {
        profile = try Inputs.saved(path, filter)
      } else {
        let pass = EventPass(path, filter)
        var spans = OTLPSpans(labels: pass.labels, version: version) { try write($0) }
        profile = try pass.read(&progress) { try spans.add($0) }
        try spans.finish()
      }
      if profile.isEmpty { throw Failure.noEvents([path]) }
      guard profile.measures.contains(.timeOfDay) else { throw Failure.noDates(path) }
      try counted.add(profile, name: path)
      for line in OTLPMetrics.lines(profile, version: version) { try write(line) }
      for sentence in profile.completeness.doubts { Output.complain(LogText.escaped(sentence)) }
    }
  }
}
