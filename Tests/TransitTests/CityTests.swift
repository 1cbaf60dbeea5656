// SPDX-License-Identifier: Apache-2.0

import Testing
import TransitModel

@Suite struct CityTests {
  @Test func isTheSameForTheSameSeed() {
    let city = City(stops: 1_280, stopTimes: 60_000, seed: 1)
    #expect(hash(of: city) == hash(of: City(stops: 1_280, stopTimes: 60_000, seed: 1)))
    // Written down: a change of the generator makes every recorded baseline stale.
    #expect(hash(of: city) == 15_677_911_098_259_000_903)
    #expect(hash(of: city) != hash(of: City(stops: 1_280, stopTimes: 60_000, seed: 2)))
  }

  @Test(arguments: [(0, 0), (1, 10), (16, 7), (400, 100_001)])
  func hasAsManyAsRequested(stops: Int, stopTimes: Int) {
    let city = City(stops: stops, stopTimes: stopTimes, seed: 7)
    #expect(city.stops.count == stops)
    #expect(city.departureCounts.reduce(0, +) == (stops == 0 ? 0 : stopTimes))
    #expect(city.departureCounts.allSatisfy { $0 >= 0 })
    for index in city.stops.indices {
      let count = city.stopTimes(ofStopAt: index).reduce(0) { count, _ in count + 1 }
      #expect(count == city.departureCounts[index])
    }
  }

  @Test func liesAroundBerlinAndIsDenserInTheMiddle() {
    let center = Coordinate(latitude: 52.515, longitude: 13.4)
    let distances = City(stops: 12_800, stopTimes: 0, seed: 1).stops
      .map { $0.coordinate.distance(to: center) }
    #expect(distances.allSatisfy { $0 < 80_000 })
    // The ring from 10 to 20 km is twelve times as large as the circle of 5 km.
    let inner = distances.count { $0 < 5_000 }
    let outer = distances.count { (10_000..<20_000).contains($0) }
    #expect(inner > 2_000 && outer > 500 && inner * 12 > outer * 4)
  }

  @Test func hasAnInterchangeAtThePointOfInterest() {
    let center = Coordinate.goerlitzerBahnhof
    let city = City(stops: 12_800, stopTimes: 0, seed: 1)
    #expect(city.stops[0].coordinate == center)
    #expect(city.stops[0].name == "U Görlitzer Bahnhof (Berlin)")
    let box = SearchBox.around(center, radius: 80)[0]
    let boxed = city.stops.filter { box.contains($0.coordinate) }
    let near = boxed.filter { $0.coordinate.distance(to: center) <= 80 }
    #expect((15...25).contains(boxed.count))
    #expect(near.count >= 12 && near.count <= boxed.count - 3)
  }

  @Test func stopsHaveTheirOwnIdentifiers() {
    let stops = City(stops: 12_800, stopTimes: 0, seed: 1).stops
    #expect(Set(stops.map(\.identifier)).count == 12_800)
    // Both forms of ö occur.
    #expect(stops.contains { $0.name.unicodeScalars.contains("\u{308}") })
    #expect(stops.contains { $0.name.unicodeScalars.contains("\u{F6}") })
  }

  @Test func spreadsDeparturesOverOneDayInOrder() {
    let city = City(stops: 20, stopTimes: 20_000, seed: 3)
    for index in city.stops.indices {
      let times = city.stopTimes(ofStopAt: index).compactMap(\.departureTime)
      #expect(times == times.sorted())
      #expect(times.allSatisfy { (0..<86_400).contains($0) })
    }
    let all = city.stops.indices.flatMap {
      city.stopTimes(ofStopAt: $0).compactMap(\.departureTime)
    }
    let rush = all.count { (7 * 3600..<8 * 3600).contains($0) }
    let night = all.count { (2 * 3600..<3 * 3600).contains($0) }
    #expect(rush > 8 * night && night > 0)
  }

  /// FNV-1a over every stop and every stop time.
  private func hash(of city: City) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ bits: UInt64) { hash = (hash ^ bits) &* 0x0000_0100_0000_01B3 }
    for (index, stop) in city.stops.enumerated() {
      add(UInt64(bitPattern: stop.identifier))
      add(stop.coordinate.latitude.bitPattern)
      add(stop.coordinate.longitude.bitPattern)
      for byte in stop.name.utf8 { add(UInt64(byte)) }
      for time in city.stopTimes(ofStopAt: index) {
        add(UInt64(bitPattern: time.arrivalTime ?? -1))
        add(UInt64(bitPattern: time.departureTime ?? -1))
        add(UInt64(time.pickupType.magnitude))
      }
    }
    return hash
  }
}
