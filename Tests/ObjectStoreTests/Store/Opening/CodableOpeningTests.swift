// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

private enum Bytes {
  struct Item: Entity {
    static let entityName = "Item"
    let content = Attribute<Data?>("content")
    let size = Attribute<Double?>("size")
  }
}

private enum Words {
  struct Item: Entity {
    static let entityName = "Item"
    let content = Attribute<[String]>("content", default: [])
    let size = Attribute<Double?>("size")
  }
}

private enum Numbers {
  struct Item: Entity {
    static let entityName = "Item"
    let content = Attribute<[Int]?>("content")
    let size = Attribute<Float?>("size")
  }
}

/// Values that a column of the same type holds and the model's type does not.
@Suite struct CodableOpeningTests {
  private let folder: TemporaryDirectory
  private var url: URL { folder.url.appending(path: "store.sqlite") }

  init() throws { folder = try TemporaryDirectory() }

  private func fill(_ contents: [String?], size: Double? = nil) throws {
    let container = try PersistentContainer(at: url, entities: Bytes.Item.self)
    let context = container.newBackgroundContext()
    for content in contents {
      let item = context.insert(Bytes.Item.self)
      (item.content, item.size) = (content.map { Data($0.utf8) }, size)
    }
    try context.save()
    container.close()
  }

  private func refusal(_ entity: any Entity.Type, isReadOnly: Bool = false) -> String {
    var options = StoreOptions()
    options.isReadOnly = isReadOnly
    do {
      try PersistentContainer(at: url, entities: [entity], options: options).close()
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [false, true])
  func bytesThatAreNoJSONOfTheTypeAreRefused(isReadOnly: Bool) throws {
    try fill(["[\"a\"]", nil, "{}"])
    let before = try Data(contentsOf: url)
    #expect(
      refusal(Words.Item.self, isReadOnly: isReadOnly).contains(
        "ZITEM.ZCONTENT has a value that is no JSON of Array<String>, in row 3"))
    #expect(try Data(contentsOf: url) == before)
    #expect(refusal(Bytes.Item.self, isReadOnly: isReadOnly) == "")
  }

  @Test func bytesThatAreJSONAreTakenOver() throws {
    try fill(["[\"a\"]", nil])
    let container = try PersistentContainer(at: url, entities: Words.Item.self)
    let items = container.newBackgroundContext()
    #expect(try Set(items.fetch(FetchRequest<Words.Item>()).map(\.content)) == [["a"], []])
    container.close()
    #expect(refusal(Numbers.Item.self).contains("no JSON of Optional<Array<Int>>, in row 1"))
    // A value that another program writes later is the object's matter.
    try Connection(path: url.path, mode: .readWrite).execute("UPDATE ZITEM SET ZCONTENT = X'00'")
    #expect(refusal(Words.Item.self) == "")
    #expect(refusal(Bytes.Item.self) == "")
    #expect(refusal(Words.Item.self).contains("no JSON of Array<String>"))
  }

  @Test func aFileOfAVersionThatKeptNoTypesOpens() throws {
    try fill(["{}"])
    let connection = try Connection(path: url.path, mode: .readWrite)
    let read = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    #expect(try read.step())
    var list = try #require(
      try PropertyListSerialization.propertyList(from: Data(read.blob(0)), format: nil)
        as? [String: Any])
    read.reset()
    list["ObjectStoreRecord"] = nil
    let write = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
    try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
      .withUnsafeBytes { write.bind(blob: $0, at: 1) }
    try write.run()
    #expect(refusal(Words.Item.self) == "")
  }

  @Test(arguments: [3.4028234663852886e38, 3.41e38, .infinity])
  func aNumberThatAFloatWouldReadAsInfiniteIsRefused(size: Double) throws {
    try fill([nil], size: size)
    #expect(
      refusal(Numbers.Item.self)
        == (size == 3.41e38
          ? "the store '\(url.path)' does not fit the model, and was not changed: ZITEM.ZSIZE has "
            + "values that are none of float; open it with the model that created it, or change the model"
          : ""))
  }
}
