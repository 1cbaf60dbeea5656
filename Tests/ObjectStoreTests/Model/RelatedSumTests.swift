// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import TestSupport
import Testing

private struct TrainYard: Entity {
  let name = Attribute<String?>("name")
  let seats = Attribute<Int>("seats", sumOf: \Self.railcars, \.seats)
  let railcars: ToMany<Railcar> = ToMany("railcars", inverse: \.yard)
}

private struct Railcar: Entity {
  let seats = Attribute<Int>("seats")
  let yard = ToOne<TrainYard>("yard", inverse: \.railcars)
}

private struct ReadingList: Entity {
  let pages = Attribute<Int16>("pages", sumOf: \Self.volumes, \.pages)
  let volumes: ToMany<Volume> = ToMany("volumes", inverse: \.list)
}

private struct Volume: Entity {
  let pages = Attribute<Int16>("pages")
  let list = ToOne<ReadingList>("list", inverse: \.volumes)
}

/// Sums that are larger than their attribute takes.
@Suite struct RelatedSumTests {
  private let fixture: StoreFixture
  private var context: ManagedObjectContext { fixture.context }

  init() throws {
    fixture = try StoreFixture([TrainYard.self, Railcar.self, ReadingList.self, Volume.self])
  }

  private func failures(_ save: () throws -> Void) -> [String] {
    do { try save() } catch StoreError.invalid(let failures) {
      return failures.map { "\($0.objectID.entityName)/\($0.objectID.primaryKey).\($0.property)" }
    } catch {
      return ["\(error)"]
    }
    return []
  }

  @Test func aSumBeyond64BitsNamesItsObject() throws {
    for seats in [[1], [.max, 1]] {
      let yard = context.insert(TrainYard.self)
      for count in seats {
        let railcar = context.insert(Railcar.self)
        (railcar.seats, railcar.yard) = (count, yard)
      }
    }
    #expect(failures { try context.save() } == ["TrainYard/2.seats"])
    #expect(try fixture.rows("SELECT count(*) FROM ZTRAINYARD") == ["0"])
  }

  @Test func aSumBeyondItsTypeIsRefused() throws {
    let list = context.insert(ReadingList.self)
    for pages in [30_000, 2_767] as [Int16] {
      let volume = context.insert(Volume.self)
      (volume.pages, volume.list) = (pages, list)
    }
    try context.save()
    #expect(list.pages == .max)
    let volume = context.insert(Volume.self)
    (volume.pages, volume.list) = (1, list)
    #expect(failures { try context.save() } == ["ReadingList/1.pages"])
    #expect(
      failures {
        let row: [String: StoreValue] = ["pages": .integer(1), "list": .object(list.objectID)]
        try context.batchInsert(entityNamed: "Volume", [row])
      } == ["ReadingList/1.pages"])
    #expect(try fixture.rows("SELECT ZPAGES FROM ZREADINGLIST") == ["32767"])
  }
}
