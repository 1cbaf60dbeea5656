// SPDX-License-Identifier: Apache-2.0

public import TraceAnalysis

/// `incident.json` of a flight recorder's incident, version 1.
public struct IncidentV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  public var number: Int
  /// The condition, as `--when` had it; several that the event met are joined by " and ".
  public var condition: String
  /// When the recorder learned of it: nanoseconds since 1970.
  public var timeNs: Int64
  public var offender: Offender
  /// The plan of the offender's statement, one step a line, indented; nil without a statement.
  public var plan: [String]?
  /// The reason why there is no plan.
  public var planError: String?
  /// The lock state of each database that the program had open, at that time; `holds` includes the
  /// seconds before as well.
  public var locks: [LocksV1]
  /// Events that met a condition from the start of the recording to the next incident and have no
  /// incident of their own; nil for none.
  public var skipped: UInt64?

  /// The file's name in the incident's folder.
  public static let fileName = "incident.json"

  public init(
    number: Int, condition: String, timeNs: Int64, offender: Offender, locks: [LocksV1]
  ) {
    (self.number, self.condition, self.timeNs) = (number, condition, timeNs)
    (self.offender, self.locks) = (offender, locks)
  }
}
