// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The databases that the statements of a trace ran on, in bounded memory.
struct StatementDatabases {
  private typealias Connection = ProfileBuilder.Key

  private var paths: [Connection: String] = [:]
  private(set) var byStatement: [StatementID: Set<String>] = [:]

  // A program may open a connection for each request.
  private static let maxConnections = 10_000
  private static let maxPaths = 8

  mutating func add(_ event: ConnectionOpened, in process: Int) {
    if paths.count >= Self.maxConnections { paths = [:] }
    paths[Connection(process: process, id: event.connectionID)] = event.path
  }

  mutating func add(_ run: StatementRun, in process: Int) {
    guard let path = paths[Connection(process: process, id: run.connectionID)],
      byStatement.count < Bounds.statements || byStatement[run.statementID] != nil,
      byStatement[run.statementID, default: []].count < Self.maxPaths
    else { return }
    byStatement[run.statementID, default: []].insert(path)
  }
}
