// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

private enum Full {
  struct Folder: Entity {
    static let entityName = "Folder"
    let name = Attribute<String?>("name")
    let notes: ToMany<Note> = ToMany("notes", inverse: \.folder, ordered: true)
    let labels: ToMany<Label> = ToMany("labels", inverse: \.folders)
  }

  struct Note: Entity {
    static let entityName = "Note"
    let title = Attribute<String?>("title")
    let rank = Attribute<Int>("rank", default: 3)
    let folder = ToOne<Folder>("folder", inverse: \.notes)
  }

  struct Label: Entity {
    static let entityName = "Label"
    let name = Attribute<String?>("name")
    let folders: ToMany<Folder> = ToMany("folders", inverse: \.labels)
  }

  static var entities: [any Entity.Type] { [Folder.self, Note.self, Label.self] }
}

/// Without the relationships and one attribute.
private enum Plain {
  struct Folder: Entity {
    static let entityName = "Folder"
    let name = Attribute<String?>("name")
  }

  struct Note: Entity {
    static let entityName = "Note"
    let title = Attribute<String?>("title")
  }

  struct Label: Entity {
    static let entityName = "Label"
    let name = Attribute<String?>("name")
  }

  static var entities: [any Entity.Type] { [Folder.self, Note.self, Label.self] }
}

/// Folders alone.
private enum Alone {
  struct Folder: Entity {
    static let entityName = "Folder"
    let name = Attribute<String?>("name")
  }

  static var entities: [any Entity.Type] { [Folder.self] }
}

/// Properties that a model leaves out and a later one has again.
@Suite struct ReturnedPropertyTests {
  private let folder: TemporaryDirectory
  private var url: URL { folder.url.appending(path: "store.sqlite") }

  init() throws {
    folder = try TemporaryDirectory()
    let container = try PersistentContainer(at: url, entities: Full.entities)
    let context = container.newBackgroundContext()
    for number in 1...2 {
      let folder = context.insert(Full.Folder.self)
      folder.name = "F\(number)"
      let note = context.insert(Full.Note.self)
      (note.title, note.rank, note.folder) = ("N\(number)", number * 10, folder)
      let label = context.insert(Full.Label.self)
      label.name = "L\(number)"
      folder.labels.append(label)
    }
    try context.save()
    container.close()
  }

  /// Deletes the first folder with a model without the properties that refer to it.
  private func deleteFirst<Folder: Entity>(
    _ type: Folder.Type, with entities: [any Entity.Type],
    _ policy: StoreOptions.MigrationPolicy = .automatic
  ) throws {
    var options = StoreOptions()
    options.migrationPolicy = policy
    let container = try PersistentContainer(at: url, entities: entities, options: options)
    let context = container.newBackgroundContext()
    let predicate = try FetchPredicate(format: "name == 'F1'")
    for folder in try context.fetch(FetchRequest<Folder>(predicate: predicate)) {
      context.delete(folder)
    }
    if Folder.self == Plain.Folder.self { context.insert(Plain.Note.self).title = "N3" }
    try context.save()
    container.close()
  }

  private func expectOneFolder(_ opened: PersistentContainer) throws {
    let context = opened.newBackgroundContext()
    let notes = try context.fetch(FetchRequest<Full.Note>())
      .sorted { $0.title ?? "" < $1.title ?? "" }
    #expect(notes.prefix(2).map { $0.folder?.name } == [nil, "F2"])
    let labels = try context.fetch(FetchRequest<Full.Label>())
    #expect(Set(labels.map { $0.folders.map(\.name) }) == [[], ["F2"]])
    #expect(try context.count(FetchRequest<Full.Note>(where: { $0.folder != nil })) == 1)
    for note in notes { note.title = "changed" }
    try context.save()
  }

  @Test func referencesToRowsThatAreGoneAreRemovedAndReported() throws {
    try deleteFirst(Plain.Folder.self, with: Plain.entities)
    let container = try PersistentContainer(at: url, entities: Full.entities)
    let end = "to objects that were deleted while the model lacked it"
    #expect(
      Set(container.migrationSteps).isSuperset(of: [
        "removed 1 reference of Note.folder \(end)",
        "removed 1 reference of Folder.labels \(end)",
        "Note.rank has the values again that it had in an earlier model",
      ]))
    try expectOneFolder(container)
    let context = container.newBackgroundContext()
    let ranks = try context.fetch(FetchRequest<Full.Note>()).map(\.rank)
    #expect(Set(ranks) == [10, 20, 3])
    container.close()
    let again = try PersistentContainer(at: url, entities: Full.entities)
    #expect(again.migrationSteps.isEmpty)
  }

  @Test func referencesOfReturnedEntitiesAreRemoved() throws {
    try deleteFirst(Alone.Folder.self, with: Alone.entities)
    try expectOneFolder(PersistentContainer(at: url, entities: Full.entities))
  }

  @Test func propertyDroppedUnderExactReturnsWithoutItsValues() throws {
    try deleteFirst(Plain.Folder.self, with: Plain.entities, .exact)
    let container = try PersistentContainer(at: url, entities: Full.entities)
    let context = container.newBackgroundContext()
    let notes = try context.fetch(FetchRequest<Full.Note>())
    #expect(notes.allSatisfy { $0.rank == 3 && $0.folder == nil })
  }
}
