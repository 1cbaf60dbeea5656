// SPDX-License-Identifier: Apache-2.0

import Foundation
import TraceAnalysis
import TraceReading
import TraceRendering

/// The results of the inputs so far.
struct Outcome {
  var read = 0
  var refused = 0
  var events: UInt64 = 0

  /// Reads an input as `trace-report summary` does, with all its findings.
  mutating func read(_ input: FuzzedInput) throws {
    do {
      let profile = try profile(of: input)
      events += profile.completeness.eventsRead
      let document = Document(summary: profile).text()
      guard !document.isEmpty else { fail("a report without a word") }
      read += 1
    } catch is TraceReadingError {
      refused += 1
    } catch is SavedReportError {
      refused += 1
    }
  }

  private func profile(of input: FuzzedInput) throws -> Profile {
    guard input.kind != .json else {
      let bytes = try InputContent.bytes(path: input.path)
      let profile = try SavedReport.profile(in: Data(bytes), name: "report.json")
      return .merged([profile, profile])
    }
    var given: UInt64 = 0
    var builder = ProfileBuilder()
    let report = try TraceReader.read([input.path]) { record in
      given += 1
      builder.add(record)
    }
    guard report.sources.map(\.eventsRead) == [given] else {
      fail("\(report.sources.map(\.eventsRead)) events are told, \(given) were given")
    }
    return builder.profile(of: report)
  }

  private func fail(_ sentence: String) -> Never {
    print(sentence)
    exit(1)
  }
}
