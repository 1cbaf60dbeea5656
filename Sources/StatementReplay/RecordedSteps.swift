// SPDX-License-Identifier: Apache-2.0

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
  /// Of the programs' libraries of SQLite.
  private(set) var versions: Set<String> = []
  // Arbitrary: 100,000 texts of 1 KB are 100 MB.
  private static let maxTexts = 100_000

  /// - Returns: nil for an event that is no step.
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
      versions.insert(event.sqliteVersion)
      return (.open(connection(event.connectionID), RecordedFile(event)), record.timestamp)
    case .connectionClosed(let event):
      return (.close(connection(event.connectionID)), record.timestamp)
    case .busy(let event):
      waits[connection(event.storeID), default: 0] &+= event.waitTime
    case .statementRun(let event):
      let waitTime = waits.removeValue(forKey: connection(event.connectionID)) ?? 0
      let bound = values.removeValue(forKey: thread)
      let run = RecordedRun(
        connection: connection(event.connectionID), sql: texts[event.statementID] ?? "",
        statement: event.statementID,
        event: event,
        values: bound.flatMap {
          $0.statementID == event.statementID ? RecordedValues(text: $0.values) : nil
        }, start: record.timestamp &- event.openTime, waitTime: waitTime)
      return (.run(run), record.timestamp)
    default: break
    }
    return nil
  }
}

/// The files that recorded programs opened.
enum RecordedDatabases {
  static func paths(in recordings: [String]) throws -> [String] {
    var paths: Set<String> = []
    _ = try TraceReader.read(recordings) { record in
      if case .connectionOpened(let event) = record.event, !event.path.isEmpty {
        paths.insert(event.path)
      }
    }
    return paths.sorted()
  }
}
