// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness

/// Comparisons that share what they are measured on; made when their turn comes, and freed after.
struct Suite {
  let name: String
  let comparisons: (Workspace) throws -> [Comparison]

  static var all: [Suite] {
    [
      Suite(name: "fetch") { workspace in
        let rows = workspace.scale.rows
        let fixture = try workspace.stops(rows)
        return [
          try FetchCases.filled(fixture, rows: rows), try FetchCases.faults(fixture, rows: rows),
          try FetchCases.geo(fixture, repeats: 500),
        ]
      },
      Suite(name: "fault") { workspace in
        let rows = workspace.scale.rows
        let fixture = try workspace.stops(rows)
        return [FaultCases.cached(fixture, rows: rows), try FaultCases.missed(fixture, rows: rows)]
      },
      Suite(name: "write", comparisons: WriteCases.all),
      Suite(name: "open", comparisons: OpenCases.all),
      Suite(name: "readers", comparisons: ReaderCases.all),
      Suite(name: "sort", comparisons: SortCases.all),
      Suite(name: "tracepoint", comparisons: TracingCases.tracepoints),
      Suite(name: "ladder", comparisons: LadderCases.all),
      Suite(name: "transit", comparisons: TransitCases.all),
      Suite(name: "relationship", comparisons: RelationshipCases.traversal),
      Suite(name: "scale", comparisons: ScaleCases.fetch),
      Suite(name: "batches", comparisons: ScaleCases.batches),
      Suite(name: "examples-transit", comparisons: ExampleCases.transit),
      Suite(name: "examples-photos", comparisons: ExampleCases.photos),
      Suite(name: "examples-records", comparisons: ExampleCases.records),
      Suite(name: "report", comparisons: ReportCases.all),
    ]
  }
}
