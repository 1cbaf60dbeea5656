// SPDX-License-Identifier: Apache-2.0

public import ObjectStore

/// A stop that a search found, as displayed.
public struct FoundStop: Hashable, Sendable {
  /// The object's id in its store.
  public var objectID: ManagedObjectID
  /// The feed's number for it.
  public var identifier: Int64
  /// The name as displayed.
  public var name: String
  /// The distance from the point of interest, in metres; nil for a text search.
  public var distance: Double?
}

extension StopSearch {
  /// The second pass: the rows within the circle itself, nearest first; by name for a text search.
  public func exact(_ stops: [ManagedObject<Stop>]) -> [FoundStop] {
    let found = stops.map { stop in
      let coordinate = Coordinate(latitude: stop.latitude, longitude: stop.longitude)
      return FoundStop(
        objectID: stop.objectID, identifier: stop.identifier, name: stop.name,
        distance: area.map { $0.center.distance(to: coordinate) })
    }
    guard let area else {
      return found.sorted { ($0.name, $0.identifier) < ($1.name, $1.identifier) }
    }
    return found.filter { ($0.distance ?? 0) <= area.radius }
      .sorted { ($0.distance ?? 0, $0.identifier) < ($1.distance ?? 0, $1.identifier) }
  }
}
