// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The lines of code behind the caller ids of each process, in bounded memory.
public struct CallerNames {
  private var locations: [Key: SourceLocation] = [:]
  // 100,000 is arbitrary: far more lines than a program runs SQL from.
  private static let maxCallers = 100_000

  private struct Key: Hashable {
    var pid: Int64
    var host: String
    var caller: UInt64
  }

  public init() {}

  /// Keeps the line that a caller id refers to.
  public mutating func add(_ caller: CallerAnnounced, of record: EventRecord) {
    let key = key(caller.callerID, record)
    guard locations.count < Self.maxCallers || locations[key] != nil else { return }
    locations[key] = caller.location
  }

  /// The line of a caller id, or ``SourceLocation/unknown``.
  public subscript(caller: UInt64, of record: EventRecord) -> SourceLocation {
    guard caller != 0 else { return .unknown }
    return locations[key(caller, record)] ?? .unknown
  }

  private func key(_ caller: UInt64, _ record: EventRecord) -> Key {
    Key(pid: record.process.id, host: record.process.host, caller: caller)
  }
}

extension CallerAnnounced {
  /// The line; a function alone stands for its file where there is no debug information.
  public var location: SourceLocation {
    if !file.isEmpty { return SourceLocation(file: file, line: line) }
    return SourceLocation(file: function, line: 0)
  }
}
