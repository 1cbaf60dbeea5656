// SPDX-License-Identifier: Apache-2.0

import ObjectStore

/// One of the example's three searches for stops.
public enum StopSearch: Hashable, Sendable {
  /// The stops around a point.
  case nearby(Area)
  /// The stops around a point from which something leaves within some minutes.
  case departures(Area, after: ServiceTime, minutes: Int)
  /// The stops whose names begin with a text, contain it, or have its words; in the version's form
  /// unless one is given.
  case named(String, form: TextForm? = nil)

  /// The most rows that a search fetches.
  public static let limit = 200

  /// A circle, its radius in metres.
  public struct Area: Hashable, Sendable {
    /// The point of interest.
    public var center: Coordinate
    /// In metres.
    public var radius: Double

    /// Makes a circle; its radius is in metres.
    public init(center: Coordinate = .goerlitzerBahnhof, radius: Double = 80) {
      self.center = center
      self.radius = radius
    }
  }

  /// The circle that the second pass holds the rows against; a text search has none.
  public var area: Area? {
    switch self {
    case .nearby(let area), .departures(let area, _, _): area
    case .named: nil
    }
  }

  /// Fetches at most 200 stops, not as faults, in no order.
  ///
  /// Each kind fetches at a separate line, which identifies it in a report.
  ///
  /// - Throws: an error of the predicate format, which only a mistake in this file could cause, and
  ///   what the store throws.
  func fetch(_ version: Version, in context: ManagedObjectContext) throws -> [ManagedObject<Stop>] {
    switch self {
    case .nearby(let area): return try context.fetch(Self.request(try Self.inBoxes(area)))
    case .departures(let area, let clock, let minutes):
      let boxes = try Self.inBoxes(area)
      let departs = try Self.departs(
        DepartureWindow.departures(after: clock, minutes: minutes))
      let predicate = version == .before ? departs && boxes : boxes && departs
      return try context.fetch(Self.request(predicate))
    case .named(let text, let form):
      let form = form ?? (version == .before ? .begins : .normalized)
      return try form.fetch(text, in: context)
    }
  }

  /// At most 200 stops, not as faults, in no order.
  static func request(_ predicate: FetchPredicate) -> FetchRequest<Stop> {
    var request = FetchRequest<Stop>(predicate: predicate)
    request.fetchLimit = limit
    request.returnsObjectsAsFaults = false
    return request
  }

  /// Within the box around a circle, or one of the two at the 180° meridian.
  private static func inBoxes(_ area: Area) throws -> FetchPredicate {
    let boxes = try SearchBox.around(area.center, radius: area.radius).map { box in
      try FetchPredicate(
        "(%@ <= longitude) AND (longitude <= %@) AND (%@ <= latitude) AND (latitude <= %@)",
        box.west, box.east, box.south, box.north)
    }
    return boxes.count == 1 ? boxes[0] : .or(boxes)
  }

  /// With a departure in a window, or in one of the two windows around midnight.
  private static func departs(_ windows: [DepartureWindow]) throws -> FetchPredicate {
    let terms = try windows.map { window in
      try FetchPredicate(
        """
        (SUBQUERY(stopTimes, $x, (%@ <= $x.departureTime) && ($x.departureTime <= %@)).@count != 0)
        """, window.from.seconds, window.until.seconds)
    }
    return terms.count == 1 ? terms[0] : .or(terms)
  }
}
