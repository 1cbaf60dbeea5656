// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The lines of code of the caller ids of each process, in bounded memory.
public struct CallerNames {
  private var locations: [Key: SourceLocation] = [:]
  private var lastLocations: [Site: SourceLocation] = [:]
  // 100,000 is arbitrary: far more lines than a program runs SQL from.
  private static let maxCallers = 100_000

  /// A statement on a thread.
  private struct Site: Hashable {
    var pid: Int64
    var host: String
    var thread: Int64
    var statement: StatementID
  }

  private struct Key: Hashable {
    var pid: Int64
    var host: String
    var caller: UInt64
  }

  /// Makes an empty table.
  public init() {}

  /// Stores the line of a caller id.
  public mutating func add(_ caller: CallerAnnounced, of record: EventRecord) {
    let key = key(caller.callerID, record)
    guard locations.count < Self.maxCallers || locations[key] != nil else { return }
    locations[key] = caller.location
  }

  /// The line that ran a statement, or `SourceLocation.unknown`.
  ///
  /// The probe looks callers up for the first runs of a statement, for a sample and for slow runs.
  /// A run without one counts for the line that the thread ran the statement from before.
  public mutating func location(of run: StatementRun, in record: EventRecord) -> SourceLocation {
    let site = Site(
      pid: record.process.id, host: record.process.host, thread: record.threadID,
      statement: run.statementID)
    guard run.callerID != 0 else { return lastLocations[site] ?? .unknown }
    let location = locations[key(run.callerID, record)] ?? .unknown
    if lastLocations.count < Self.maxCallers || lastLocations[site] != nil {
      lastLocations[site] = location
    }
    return location
  }

  private func key(_ caller: UInt64, _ record: EventRecord) -> Key {
    Key(pid: record.process.id, host: record.process.host, caller: caller)
  }
}

extension CallerAnnounced {
  /// The line; without debug information the name of the function is used in place of the file.
  public var location: SourceLocation {
    if !file.isEmpty { return SourceLocation(file: file, line: line) }
    return SourceLocation(file: function, line: 0)
  }
}
