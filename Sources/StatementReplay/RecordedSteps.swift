// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
import TraceReading

/// Reads the steps of connections from events.
struct RecordedSteps {
  private struct Thread: Hashable {
    var process: ProcessIdentity
    var id: Int64
  }

  private var texts: [StatementID: String] = [:]
  /// The values of a thread's next run.
  private var values: [Thread: ValuesBound] = [:]
  /// The waits of a connection's next run.
  private var waits: [RecordedConnection: Nanoseconds] = [:]
  // Arbitrary: 100,000 texts of 1 KB are 100 MB.
  private static let maxTexts = 100_000

  /// - Returns: nil for an event that is no step, and for a run of a text that is not known.
  mutating func step(of record: EventRecord) -> (RecordedStep, Nanoseconds)? {
    let thread = Thread(process: record.process, id: record.threadID)
    func connection(_ id: UInt64) -> RecordedConnection {
      RecordedConnection(process: record.process, id: id)
    }
    switch record.event {
    case .statement(let event):
      if texts.count >= Self.maxTexts { texts.removeAll() }
      texts[event.statementID] = event.sql
    case .values(let event): values[thread] = event
    case .connectionOpened(let event):
      return (.open(connection(event.connectionID), path: event.path), record.timestamp)
    case .connectionClosed(let event):
      return (.close(connection(event.connectionID)), record.timestamp)
    case .busy(let event):
      waits[connection(event.storeID), default: 0] &+= event.waitTime
    case .statementRun(let event):
      let waitTime = waits.removeValue(forKey: connection(event.connectionID)) ?? 0
      let bound = values.removeValue(forKey: thread)
      guard let sql = texts[event.statementID] else { return nil }
      let run = RecordedRun(
        connection: connection(event.connectionID), sql: sql, statement: event.statementID,
        event: event,
        values: bound.flatMap {
          $0.statementID == event.statementID ? RecordedValues(text: $0.values) : nil
        }, waitTime: waitTime)
      return (.run(run), record.timestamp)
    default: break
    }
    return nil
  }
}

/// What a first reading of the recordings finds.
struct RecordedFacts {
  /// The files that were opened, and the runs on each.
  private(set) var databases: [String: UInt64] = [:]
  private(set) var versions: [String] = []

  init(_ paths: [String]) throws {
    var open: [RecordedConnection: String] = [:]
    var versions: Set<String> = []
    var databases: [String: UInt64] = [:]
    _ = try TraceReader.read(paths) { record in
      switch record.event {
      case .connectionOpened(let event):
        versions.insert(event.sqliteVersion)
        open[RecordedConnection(process: record.process, id: event.connectionID)] = event.path
        if !event.path.isEmpty { databases[event.path, default: 0] += 0 }
      case .statementRun(let event):
        let key = RecordedConnection(process: record.process, id: event.connectionID)
        if let path = open[key], !path.isEmpty { databases[path, default: 0] += 1 }
      default: break
      }
    }
    self.databases = databases
    self.versions = versions.sorted()
  }
}
