// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

/// Behaviours of models and of stores that are opened again.
@Suite struct ModelBehaviourTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func model(_ contents: String) throws -> ManagedObjectModel {
    let url = folder.url.appending(path: "contents-\(UUID().uuidString)")
    try Data("<model>\(contents)</model>".utf8).write(to: url)
    return try ManagedObjectModel(contentsOf: url)
  }

  private func open(
    _ model: ManagedObjectModel, _ policy: StoreOptions.MigrationPolicy = .automatic
  ) throws -> PersistentContainer {
    var options = StoreOptions()
    options.migrationPolicy = policy
    return try PersistentContainer(
      at: folder.url.appending(path: "store.sqlite"), model: model, options: options)
  }

  private static let base =
    "<entity name='A'><attribute name='a' optional='YES' attributeType='String'/></entity>"
  private static let sub =
    "<entity name='B' parentEntity='A'><attribute name='b' optional='YES' attributeType='Integer 16'/>"

  @Test func hashesFollowTheModel() throws {
    let first = try model(Self.base + Self.sub + "</entity>").versionHashes
    #expect(try model(Self.base + Self.sub + "</entity>").versionHashes == first)
    let attribute = "<attribute name='c' optional='YES' attributeType='Date'/></entity>"
    let changedSub = try model(Self.base + Self.sub + attribute).versionHashes
    #expect(changedSub["A"] == first["A"] && changedSub["B"] != first["B"])
    let type = Self.base.replacingOccurrences(of: "String", with: "Double")
    let changed = try model(type + Self.sub + "</entity>").versionHashes
    #expect(changed["A"] != first["A"])
  }

  @Test func refusesASubentityWithAnotherAttributeByOption() throws {
    let container = try open(model(Self.base + Self.sub + "</entity>"))
    #expect(FileManager.default.fileExists(atPath: container.path))
    container.close()
    try open(model(Self.base + Self.sub + "</entity>"), .refuse).close()
    let changed = try model(
      Self.base + Self.sub + "<attribute name='c' optional='YES' attributeType='Date'/></entity>")
    #expect(throws: StoreError.self) { try open(changed, .refuse) }
    #expect(throws: StoreError.self) { try open(model(Self.base), .refuse) }
    try open(changed).close()
  }

  @Test func anEntityIsAddedAndOneIsRemoved() throws {
    let other = "<entity name='Old'><attribute name='x' attributeType='String'/></entity>"
    try open(model(Self.base + other)).close()
    let new =
      "<entity name='New'><attribute name='y' optional='YES' attributeType='String'/></entity>"
    let container = try open(model(Self.base + new))
    _ = try container.mainContext.insert(entityNamed: "New")
    try container.mainContext.save()
    #expect(!container.migrationSteps.isEmpty)
  }

  @Test func templatesAndConfigurationsAreRemarkedOn() throws {
    let model = try model(
      Self.base + "<fetchRequest name='All' entity='A' predicateString='TRUEPREDICATE'/>"
        + "<configuration name='Cloud'><memberEntity name='A'/></configuration>")
    #expect(model.remarks.contains { $0.contains("All") })
    #expect(model.remarks.contains { $0.contains("Cloud") })
  }

  @Test func anIntegersDefaultMayBeYesOrNo() throws {
    let container = try open(
      model(
        "<entity name='A'><attribute name='a' attributeType='Integer 32' defaultValueString='NO'/>"
          + "<attribute name='b' attributeType='Integer 16' defaultValueString='YES'/></entity>"))
    let object = try container.mainContext.insert(entityNamed: "A")
    #expect(try object.value(forKey: "a") == .integer(0))
    #expect(try object.value(forKey: "b") == .integer(1))
  }

  @Test func relationshipsNeedNoInverse() throws {
    let model = try model(
      Self.base + "<entity name='B'><relationship name='a' optional='YES' destinationEntity='A'/>"
        + "</entity>")
    #expect(model.remarks.contains { $0.contains("B.a has no inverse") })
    let container = try open(model)
    let context = container.mainContext
    let (a, b) = try (context.insert(entityNamed: "A"), context.insert(entityNamed: "B"))
    try context.save()
    try b.setValue(.object(a.objectID), forKey: "a")
    try context.save()
    #expect(try b.value(forKey: "a") == .object(a.objectID))
  }

  @Test func namesMayBeBeyondASCII() throws {
    let text =
      "<entity name='Straße'><attribute name='größe' optional='YES' attributeType='Double'/>"
      + "<attribute name='名前' optional='YES' attributeType='String'/></entity>"
    for _ in 0..<2 {
      let container = try open(model(text))
      let context = container.mainContext
      let object = try context.insert(entityNamed: "Straße")
      try object.setValue(.double(1.5), forKey: "größe")
      try object.setValue(.string("x"), forKey: "名前")
      try context.save()
      let found = try context.fetch(
        entityNamed: "Straße", where: FetchPredicate("größe == 1.5 AND 名前 BEGINSWITH 'x'"))
      #expect(found.contains(object))
    }
  }

  @Test func derivesUpperCase() throws {
    let container = try open(
      model(
        "<entity name='A'><attribute name='a' optional='YES' attributeType='String'/><attribute "
          + "name='u' optional='YES' attributeType='String' derived='YES' "
          + "derivationExpression='uppercase:(a)'/></entity>"))
    let context = container.mainContext
    let object = try context.insert(entityNamed: "A")
    try object.setValue(.string("grün"), forKey: "a")
    try context.save()
    #expect(try object.value(forKey: "u") == .string("GRÜN"))
  }

  @Test func keepsValuesAndRelationshipsAcrossOpenings() throws {
    let entities: [any Entity.Type] = [Conversation.self, Label.self, Owner.self, Guard.self]
    let fixture = try StoreFixture(entities)
    let conversation = fixture.context.insert(Conversation.self)
    conversation.title = "A"
    let labels = ["x", "y"].map { text in
      let label = fixture.context.insert(Label.self)
      label.text = text
      return label
    }
    conversation.labels.append(labels[0])
    labels[1].conversations.append(conversation)
    conversation.owner = fixture.context.insert(Owner.self)
    try fixture.context.save()
    fixture.container.close()
    let second = try fixture.reopened(entities)
    let found = try #require(try second.mainContext.fetch(FetchRequest<Conversation>()).first)
    #expect(found.title == "A" && found.objectID == conversation.objectID)
    #expect(Set(found.labels.map(\.text)) == ["x", "y"])
    #expect(found.owner?.conversation === found)
    #expect(found.labels.allSatisfy { $0.conversations.contains(found) })
    found.title = nil
    found.labels.remove(found.labels[0])
    try second.mainContext.save()
    second.close()
    let container = try fixture.reopened(entities)
    let third = container.newBackgroundContext()
    let last = try #require(try third.fetch(FetchRequest<Conversation>()).first)
    #expect(last.title == nil && last.labels.count == 1)
    third.delete(last)
    try third.save()
    #expect(try third.count(FetchRequest<Conversation>()) == 0)
  }
}
