// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ObjectStore

/// Models of thousands of entities are built in good time, or refused with a clear error.
@Suite(.endsWhenStuck) struct ModelSizeTests {
  private static let many = 5000

  private func attribute(_ name: String) -> String {
    "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"Integer 64\"/>"
  }

  private func model(_ entities: [String]) throws -> ManagedObjectModel {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "contents")
    let text = "<?xml version=\"1.0\"?><model>" + entities.joined() + "</model>"
    try Data(text.utf8).write(to: url)
    return try ManagedObjectModel(contentsOf: url)
  }

  @Test func aChainOfSuperentitiesHasALimit() throws {
    let entities = (0..<Self.many).map { number in
      "<entity name=\"E\(number)\""
        + (number == 0 ? ">\(attribute("name"))" : " parentEntity=\"E\(number - 1)\">")
        + "</entity>"
    }
    let error = #expect(throws: ModelError.self) { try model(entities) }
    #expect(error?.description.contains("inherits over more than 200 steps") == true)
    #expect(try model(Array(entities.prefix(200))).entities.count == 200)
  }

  @Test func aChainOfRelationshipsIsBuiltAndOpened() throws {
    let entities = (0..<Self.many).map { number in
      var text = "<entity name=\"E\(number)\">\(attribute("value"))"
      if number > 0 {
        text +=
          "<relationship name=\"previous\" optional=\"YES\" maxCount=\"1\" "
          + "destinationEntity=\"E\(number - 1)\" inverseName=\"next\" inverseEntity=\"E\(number - 1)\"/>"
      }
      if number < Self.many - 1 {
        text +=
          "<relationship name=\"next\" optional=\"YES\" toMany=\"YES\" "
          + "destinationEntity=\"E\(number + 1)\" inverseName=\"previous\" "
          + "inverseEntity=\"E\(number + 1)\"/>"
      }
      return text + "</entity>"
    }
    let model = try model(entities)
    #expect(model.entities.count == Self.many)
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "store.sqlite")
    for _ in 0..<2 {
      let container = try PersistentContainer(at: url, model: model)
      let object = try container.mainContext.insert(entityNamed: "E4999")
      try object.setValue(.integer(1), forKey: "value")
      try container.mainContext.save()
      container.close()
    }
  }

  @Test func aRootWithThousandsOfSubentitiesHasALimitOfColumns() throws {
    let root = "<entity name=\"Root\">\(attribute("name"))</entity>"
    func children(_ text: (Int) -> String) -> [String] {
      (0..<Self.many).map {
        "<entity name=\"E\($0)\" parentEntity=\"Root\">\(text($0))</entity>"
      }
    }
    #expect(try model([root] + children { _ in "" }).entities.count == Self.many + 1)
    let error = #expect(throws: ModelError.self) {
      try model([root] + children { attribute("own\($0)") })
    }
    #expect(error?.description.contains("has 5004 columns, SQLite allows 2000") == true)
  }
}
