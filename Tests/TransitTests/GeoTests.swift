// SPDX-License-Identifier: Apache-2.0

import Testing
import TransitModel

@Suite struct CoordinateTests {
  @Test func measuresGreatCircles() {
    let berlin = Coordinate(latitude: 52.52, longitude: 13.405)
    let paris = Coordinate(latitude: 48.8566, longitude: 2.3522)
    #expect(abs(berlin.distance(to: paris) - 877_465) < 10)
    #expect(berlin.distance(to: berlin) == 0)
    #expect(berlin.distance(to: paris) == paris.distance(to: berlin))
  }

  @Test func aQuarterOfTheEarthIsAQuarterOfItsGreatCircle() {
    let equator = Coordinate(latitude: 0, longitude: 20)
    let pole = Coordinate(latitude: 90, longitude: -77)
    #expect(abs(equator.distance(to: pole) - .pi / 2 * Coordinate.earthRadius) < 0.001)
    let antipode = Coordinate(latitude: 0, longitude: -160)
    #expect(abs(equator.distance(to: antipode) - .pi * Coordinate.earthRadius) < 0.001)
  }

  @Test func measuresAcrossTheDateLine() {
    let west = Coordinate(latitude: -16.8, longitude: 179.9995)
    let east = Coordinate(latitude: -16.8, longitude: -179.9995)
    #expect(abs(west.distance(to: east) - 106.45) < 0.01)
  }
}

@Suite struct SearchBoxTests {
  @Test func reachesEightyMetresAndATenth() throws {
    let boxes = SearchBox.around(.goerlitzerBahnhof, radius: 80)
    #expect(boxes.count == 1)
    let box = try #require(boxes.first)
    // 88 m are 0.000791400…° of latitude, and by cos 52.499249° 0.00129998…° of longitude.
    #expect(abs(box.north - 52.5000404) < 1e-7)
    #expect(abs(box.south - 52.4984576) < 1e-7)
    #expect(abs(box.east - 13.4194670) < 1e-7)
    #expect(abs(box.west - 13.4168670) < 1e-7)
  }

  @Test func holdsItsCircle() {
    let center = Coordinate.goerlitzerBahnhof
    let box = SearchBox.around(center, radius: 80)[0]
    for corner in [(box.west, center.latitude), (box.east, center.latitude)] {
      let rim = Coordinate(latitude: corner.1, longitude: corner.0)
      #expect(abs(center.distance(to: rim) - 88) < 0.01)
    }
    let north = Coordinate(latitude: box.north, longitude: center.longitude)
    #expect(abs(center.distance(to: north) - 88) < 0.01)
  }

  @Test(arguments: [179.9999, -179.9999, 180, -180])
  func splitsAtTheDateLine(longitude: Double) {
    let center = Coordinate(latitude: -16.8, longitude: longitude)
    let boxes = SearchBox.around(center, radius: 80)
    #expect(boxes.count == 2)
    #expect(boxes.contains { $0.east == 180 && $0.west > 179.99 })
    #expect(boxes.contains { $0.west == -180 && $0.east < -179.99 })
    for neighbour in [179.9995, -179.9995] {
      let point = Coordinate(latitude: -16.8, longitude: neighbour)
      #expect(boxes.contains { $0.contains(point) })
    }
    #expect(!boxes.contains { $0.contains(Coordinate(latitude: -16.8, longitude: 0)) })
  }

  @Test func holdsEveryLongitudeAtAPole() {
    let boxes = SearchBox.around(Coordinate(latitude: 89.9999, longitude: 10), radius: 80)
    #expect(boxes.count == 1)
    #expect(boxes[0].west == -180 && boxes[0].east == 180 && boxes[0].north == 90)
  }
}
