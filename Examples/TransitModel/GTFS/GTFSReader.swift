// SPDX-License-Identifier: Apache-2.0

/// Reads the stops and then the stop times of a feed, and counts the rows that it skips.
public struct GTFSReader {
  /// The remarks so far.
  public private(set) var remarks = GTFSRemarks()
  private let feed: GTFSFeed
  private var identifiers: [Substring: Int64] = [:]
  private var texts: [Int64: Substring] = [:]

  /// Makes a reader of a feed.
  public init(_ feed: GTFSFeed) { self.feed = feed }

  /// Reads `stops.txt`, in order.
  ///
  /// - Throws: ``GTFSError``, and whatever `body` throws.
  public mutating func readStops(_ body: (StopRecord) throws -> Void) async throws {
    try await GTFSTable.read("stops.txt", of: feed, columns: Self.stopColumns) { row in
      // An empty type is a stop or platform, as 0 is; 1 is a station, 4 a boarding area.
      guard ["", "0", "1", "4"].contains(row[4]) else {
        return remarks.note(.notAStop, line: row.line)
      }
      guard let coordinate = Coordinate(latitude: row[2], longitude: row[3]) else {
        return remarks.note(.badCoordinate, line: row.line)
      }
      guard identifiers[row[0]] == nil else {
        return remarks.note(.repeatedStop, line: row.line)
      }
      let identifier = Self.identifier(of: row[0])
      if let other = texts.updateValue(row[0], forKey: identifier) {
        throw GTFSError.sameIdentifier(String(other), String(row[0]))
      }
      identifiers[row[0]] = identifier
      try body(StopRecord(identifier: identifier, name: String(row[1]), coordinate: coordinate))
    }
  }

  /// Reads `stop_times.txt`, in order, after the stops.
  ///
  /// - Throws: ``GTFSError``, and whatever `body` throws.
  public mutating func readStopTimes(
    _ body: (_ stop: Int64, StopTimeRecord) throws -> Void
  ) async throws {
    try await GTFSTable.read("stop_times.txt", of: feed, columns: Self.timeColumns) { row in
      guard let stop = identifiers[row[0]] else {
        return remarks.note(.unknownStop, line: row.line)
      }
      let arrival = time(row[1], line: row.line)
      let departure = time(row[2], line: row.line)
      if row[1].isEmpty && row[2].isEmpty { remarks.note(.blankTime, line: row.line) }
      if let departure, departure > .latest { remarks.note(.lateTime, line: row.line) }
      // GTFS: if a ride does not wait, one time is used for both.
      let record = StopTimeRecord(
        arrivalTime: (arrival ?? (row[1].isEmpty ? departure : nil))?.seconds,
        departureTime: (departure ?? (row[2].isEmpty ? arrival : nil))?.seconds,
        pickupType: type(row[3], line: row.line), dropOffType: type(row[4], line: row.line))
      try body(stop, record)
    }
  }

  /// Makes a stop id a number: a plain number is itself, other text its FNV-1a hash above 2⁶².
  ///
  /// The same text gets the same number in every import.
  static func identifier(of text: Substring) -> Int64 {
    if let number = Int64(text), (0..<1 << 62).contains(number), String(number) == text {
      return number
    }
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    return 1 << 62 | Int64(hash >> 2)
  }

  private mutating func time(_ text: Substring, line: Int) -> ServiceTime? {
    guard !text.isEmpty else { return nil }
    let time = ServiceTime(text)
    if time == nil { remarks.note(.badTime, line: line) }
    return time
  }

  private mutating func type(_ text: Substring, line: Int) -> Int16 {
    guard !text.isEmpty else { return 0 }
    guard let type = Int16(text), (0...3).contains(type) else {
      remarks.note(.badType, line: line)
      return 0
    }
    return type
  }

  private static let stopColumns: [GTFSTable.Column] = [
    .init(name: "stop_id"), .init(name: "stop_name", isRequired: false),
    .init(name: "stop_lat"), .init(name: "stop_lon"),
    .init(name: "location_type", isRequired: false),
  ]
  private static let timeColumns: [GTFSTable.Column] = [
    .init(name: "stop_id"), .init(name: "arrival_time"), .init(name: "departure_time"),
    .init(name: "pickup_type", isRequired: false), .init(name: "drop_off_type", isRequired: false),
  ]
}

extension Coordinate {
  fileprivate init?(latitude: Substring, longitude: Substring) {
    guard let latitude = Double(latitude), let longitude = Double(longitude) else { return nil }
    self.init(latitude: latitude, longitude: longitude)
    guard isValid else { return nil }
  }
}
