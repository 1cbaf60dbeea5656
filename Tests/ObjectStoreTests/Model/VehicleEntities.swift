// SPDX-License-Identifier: Apache-2.0

import ObjectStore

struct Vehicle: Entity {
  let number = Attribute<Int>("number")
  let label = Attribute<String?>("label")
  let normalizedLabel = Attribute<String?>(
    "normalizedLabel", derivedFrom: \Self.label, \.searchNormalized)
  let depot = ToOne<Depot>("depot", inverse: \.vehicles)
  let flagship: ToOne<Depot> = ToOne("flagship", inverse: \.first)
  let drivers = ToMany<Driver>("drivers", inverse: \.vehicles)
  static let indexes: [Index<Vehicle>] = [Index(\.number)]
}

struct Bus: Entity {
  typealias Parent = Vehicle
  static let isAbstract = true
  let seats = Attribute<Int>("seats", default: 40)
}

struct NightBus: Entity {
  typealias Parent = Bus
  let line = Attribute<String?>("line")
}

struct Tram: Entity {
  typealias Parent = Vehicle
  let line = Attribute<Double>("line")
  static let indexes: [Index<Tram>] = [Index(\.line, \.number)]
}

struct Depot: Entity {
  let name = Attribute<String?>("name")
  let vehicles: ToMany<Vehicle> = ToMany("vehicles", inverse: \.depot)
  let first = ToOne<Vehicle>("first", inverse: \.flagship)
}

struct Driver: Entity {
  let name = Attribute<String?>("name")
  let vehicles: ToMany<Vehicle> = ToMany("vehicles", inverse: \.drivers)
}

var vehicleEntities: [any Entity.Type] {
  [Vehicle.self, Bus.self, NightBus.self, Tram.self, Depot.self, Driver.self]
}
