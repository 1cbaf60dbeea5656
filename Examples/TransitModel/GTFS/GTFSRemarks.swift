// SPDX-License-Identifier: Apache-2.0

/// Remarks on a feed that could be read: rows that were skipped or incomplete, by kind, with the
/// count and the first line.
public struct GTFSRemarks: Sendable {
  /// One kind of oddity.
  public enum Kind: String, CaseIterable, Sendable {
    case notAStop, badCoordinate, repeatedStop, unknownStop, blankTime, badTime, lateTime, badType
  }

  /// The count of each kind, and the line of its first occurrence.
  public private(set) var counts: [Kind: (count: Int, firstLine: Int)] = [:]

  /// No remarks.
  public init() {}

  mutating func note(_ kind: Kind, line: Int) {
    counts[kind, default: (0, line)].count += 1
  }

  /// One sentence for each kind that was met.
  public var sentences: [String] {
    Kind.allCases.compactMap { kind in
      counts[kind].map { "\($0.count) \(kind.sentence) (first in line \($0.firstLine))" }
    }
  }
}

extension GTFSRemarks.Kind {
  fileprivate var sentence: String {
    switch self {
    case .notAStop: "rows of stops.txt are entrances or path nodes: left out"
    case .badCoordinate: "stops have no coordinate or an impossible one: left out"
    case .repeatedStop: "rows of stops.txt repeat a stop id: left out"
    case .unknownStop: "stop times name a stop that was not imported: left out"
    case .blankTime: "stop times leave the time open: stored without times"
    case .badTime: "stop times have a time that is not HH:MM:SS: stored without that time"
    case .lateTime:
      "stop times leave after \(ServiceTime.latest): stored, but searches look no further than that"
    case .badType: "stop times have a pickup or drop-off type that is not 0 to 3: stored as 0"
    }
  }
}
