// SPDX-License-Identifier: Apache-2.0

public import ObjectStore

/// A place where rides call.
public struct Stop: Entity {
  /// The feed's number for it.
  public let identifier = Attribute<Int64>("identifier")
  /// Degrees, north positive.
  public let latitude = Attribute<Double>("latitude")
  /// Degrees, east positive.
  public let longitude = Attribute<Double>("longitude")
  /// The name as displayed: `U Görlitzer Bahnhof (Berlin)`.
  public let name = Attribute<String>("name")
  /// The name, normalized for searches: `u gorlitzer bahnhof (berlin)`.
  public let normalizedName = Attribute<String>(
    "normalizedName", derivedFrom: \Self.name, \.searchNormalized)
  /// In the order of the timetable.
  public let stopTimes: ToMany<StopTime> = ToMany(
    "stopTimes", inverse: \.stop, ordered: true, deleteRule: .cascade)
  /// The words of the name.
  public let searchTerms: ToMany<SearchTerm> = ToMany(
    "searchTerms", inverse: \.stop, deleteRule: .cascade)

  /// The indexes of the version that the model is built for.
  public static var indexes: [Index<Stop>] {
    let indexes: [Index<Stop>] = [Index(\.identifier), Index(\.normalizedName)]
    return Version.ofModel == .before ? indexes : indexes + [Index(\.longitude, \.latitude)]
  }

  /// Makes the schema.
  public init() {}
}

/// One call of one ride at a stop.
public struct StopTime: Entity {
  /// Seconds of the service day, as ``ServiceTime`` counts them; nil where the feed has none.
  public let arrivalTime = Attribute<Int64?>("arrivalTime")
  /// Seconds of the service day, as ``ServiceTime`` counts them; nil where the feed has none.
  public let departureTime = Attribute<Int64?>("departureTime")
  /// GTFS's `pickup_type`: 0 regular, 1 none, 2 phone the agency, 3 arrange with the driver.
  public let pickupType = Attribute<Int16>("pickupType")
  /// GTFS's `drop_off_type`, numbered as `pickupType`.
  public let dropOffType = Attribute<Int16>("dropOffType")
  /// The stop.
  public let stop = ToOne<Stop>("stop", inverse: \.stopTimes)

  /// Makes the schema.
  public init() {}
}
