// SPDX-License-Identifier: Apache-2.0

import ObjectStore

struct Stop: Entity {
  let identifier = Attribute<Int64>("identifier")
  let name = Attribute<String>("name")
  let note = Attribute<String?>("note")
  let latitude = Attribute<Double>("latitude", default: 0)
  let longitude = Attribute<Double>("longitude", default: 0)
  let stopTimes: ToMany<StopTime> = ToMany(
    "stopTimes", inverse: \.stop, ordered: true, deleteRule: .cascade)
  static let indexes: [Index<Stop>] = [Index(\.longitude, \.latitude)]
}

struct StopTime: Entity {
  let departureTime = Attribute<Int32>("departureTime", default: 0)
  let headsign = Attribute<String?>("headsign")
  let stop = ToOne<Stop>("stop", inverse: \.stopTimes)
}
