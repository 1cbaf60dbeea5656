// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Events as a fetch makes them.
enum Sample {
  static let fetchBegin = FetchBegin(
    fetchID: 12, parentID: 0, entity: "Stop",
    location: SourceLocation(file: "transit/Search.swift", line: 40))

  static let fetchEnd = FetchEnd(
    fetchID: 12, parentID: 0, entity: "Stop", kind: .objects,
    statementID: StatementID(rawValue: 7), bindHash: 0, waitTime: 0, prepareTime: 12_000,
    stepTime: 800_000, materializeTime: 0, connectionTime: 812_000, totalTime: 1_304_400,
    rows: 15, counters: StatementCounters(vmSteps: 99), limit: 0, offset: 0,
    batchSize: 0, error: "")
}
