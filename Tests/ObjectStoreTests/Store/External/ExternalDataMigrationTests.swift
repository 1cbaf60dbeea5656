// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// A model that allows external storage where it did not, or no more.
@Suite struct ExternalDataMigrationTests {
  private struct Plain: Entity {
    static let entityName = "Photo"
    let label = Attribute<String>("label")
    let blob = Attribute<Data?>("blob")
  }

  private struct External: Entity {
    static let entityName = "Photo"
    let label = Attribute<String>("label")
    let blob = Attribute<Data?>("blob", allowsExternalBinaryDataStorage: true)
  }

  private struct Renamed: Entity {
    static let entityName = "Picture"
    static let renamingIdentifier: String? = "Photo"
    let label = Attribute<String>("label")
    let bytes = Attribute<Data?>("bytes", renamingIdentifier: "blob")
    let icon = Attribute<Data>("icon", default: Data([7]), allowsExternalBinaryDataStorage: true)
  }

  private let folder: TemporaryDirectory
  private var url: URL { folder.url.appending(path: "store.sqlite") }
  private let values: [Data?] = [nil, Data(), .sample(10), .sample(300)]

  init() throws { folder = try TemporaryDirectory() }

  private func open<E: Entity>(
    _ type: E.Type, _ configure: (inout StoreOptions) -> Void = { _ in }
  ) throws -> PersistentContainer {
    var options = PhotoFixture.options
    configure(&options)
    return try PersistentContainer(at: url, entities: E.self, options: options)
  }

  private func fill<E: Entity>(_ type: E.Type) throws {
    let container = try open(type)
    try container.mainContext.batchInsert(
      entityNamed: "Photo",
      values.enumerated().map { index, value in
        ["label": .string("\(index)"), "blob": value.map { .data($0) } ?? .null]
      })
    container.close()
  }

  private func blobs(_ container: PersistentContainer, _ name: String = "blob") throws -> [Data?] {
    let entity = container.model.entities[0].name
    let context = container.newBackgroundContext()
    return try context.fetch(entityNamed: entity, sortedBy: [SortTerm("label")]).map {
      guard case .data(let data) = try $0.value(forKey: name) else { return nil }
      return data
    }
  }

  private var files: [String] {
    (try? FileManager.default.contentsOfDirectory(
      atPath: folder.path(".store_SUPPORT/_EXTERNAL_DATA"))) ?? []
  }

  @Test func movesLargeValuesToFilesAndBack() throws {
    try fill(Plain.self)
    let external = try open(External.self)
    #expect(external.migrationSteps == ["allowed external storage of ZPHOTO.ZBLOB"])
    #expect(files.count == 1)
    #expect(try blobs(external) == values)
    external.close()
    #expect(try open(External.self).migrationSteps.isEmpty)
    let plain = try open(Plain.self)
    #expect(plain.migrationSteps == ["brought ZPHOTO.ZBLOB into its rows"])
    #expect(files.isEmpty)
    #expect(try blobs(plain) == values)
  }

  @Test func followsRenamesAndMarksDefaultsOfNewAttributes() throws {
    try fill(External.self)
    let container = try open(Renamed.self)
    #expect(try blobs(container, "bytes") == values)
    #expect(try blobs(container, "icon") == Array(repeating: Data([7]), count: 4))
    #expect(files.isEmpty)
  }

  @Test func refusesWhereItMayNotMigrateAndWhereAFileIsMissing() throws {
    try fill(External.self)
    #expect(throws: StoreError.self) { try open(Plain.self) { $0.migrationPolicy = .refuse } }
    let other = #expect(throws: StoreError.self) {
      try open(Renamed.self) { $0.migrationPolicy = .refuse }
    }
    #expect(other?.description.contains("ZICON is kept") == false)
    let error = #expect(throws: StoreError.self) { try open(Plain.self) { $0.isReadOnly = true } }
    #expect(
      error
        == .incompatibleModel(
          path: url.path,
          differences: ["ZPHOTO.ZBLOB is kept with external storage, the model does not allow it"]))
    try FileManager.default.removeItem(
      atPath: folder.path(".store_SUPPORT/_EXTERNAL_DATA/" + files[0]))
    #expect(throws: StoreError.self) { try open(Plain.self) }
    let container = try open(External.self)
    #expect(try container.newBackgroundContext().fetch(entityNamed: "Photo").count == 4)
  }

  @Test func takesAFileOfCoreDatasAsTheModelHasIt() throws {
    try fill(External.self)
    // Core Data's own property list does not have our keys.
    try Connection(path: url.path).execute("UPDATE Z_METADATA SET Z_PLIST = NULL")
    let container = try open(External.self)
    #expect(container.migrationSteps.isEmpty)
    #expect(try blobs(container) == values)
  }
}
