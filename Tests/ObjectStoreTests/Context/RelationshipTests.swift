// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Testing

struct Conversation: Entity {
  let title = Attribute<String?>("title")
  let labels: ToMany<Label> = ToMany("labels", inverse: \.conversations, ordered: true)
  let owner: ToOne<Owner> = ToOne("owner", inverse: \.conversation)
  let guards: ToMany<Guard> = ToMany("guards", inverse: \.conversation, deleteRule: .deny)
}

struct Label: Entity {
  let text = Attribute<String?>("text")
  let conversations = ToMany<Conversation>("conversations", inverse: \.labels)
}

struct Owner: Entity {
  let conversation = ToOne<Conversation>("conversation", inverse: \.owner)
}

struct Guard: Entity {
  let conversation = ToOne<Conversation>("conversation", inverse: \.guards)
}

struct Folder: Entity {
  let title = Attribute<String?>("title")
  let papers: ToMany<Paper> = ToMany("papers", inverse: \.folder, deleteRule: .noAction)
}

struct Paper: Entity {
  let folder = ToOne<Folder>("folder", inverse: \.papers)
}

@Suite struct RelationshipTests {
  private let social: [any Entity.Type] = [
    Conversation.self, Label.self, Owner.self, Guard.self,
  ]

  @Test func keepsBothEndsInStep() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A")
    let time = fixture.context.insert(StopTime.self)
    time.stop = stop
    #expect(stop.stopTimes.count == 1 && stop.stopTimes[0] === time)
    stop.stopTimes.remove(time)
    #expect(time.stop == nil && stop.stopTimes.isEmpty)
    stop.stopTimes.append(time)
    #expect(time.stop === stop)
    let other = fixture.makeStop("B")
    time.stop = other
    #expect(stop.stopTimes.isEmpty && other.stopTimes.contains(time))
  }

  @Test func keepsTheOrderOfAnOrderedToMany() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A", stopTimes: 3)
    try fixture.context.save()
    #expect(
      try fixture.rows("SELECT ZHEADSIGN, ZSTOP, Z_FOK_STOP FROM ZSTOPTIME ORDER BY Z_FOK_STOP")
        == ["0|1|1024", "1|1|2048", "2|1|3072"])
    stop.stopTimes.insert(stop.stopTimes[2], at: 0)
    let new = fixture.context.insert(StopTime.self)
    new.headsign = "new"
    stop.stopTimes.insert(new, at: 1)
    try fixture.context.save()
    let container = try fixture.reopened()
    let stops = try container.mainContext.fetch(FetchRequest<Stop>())
    #expect(stops[0].stopTimes.map(\.headsign) == ["2", "new", "0", "1"])
  }

  @Test func appendsWithoutLoadingTheMembers() throws {
    let fixture = try StoreFixture()
    _ = fixture.makeStop("A", stopTimes: 2)
    try fixture.context.save()
    let container = try fixture.reopened()
    let stop = try #require(try container.mainContext.fetch(FetchRequest<Stop>()).first)
    let time = container.mainContext.insert(StopTime.self)
    time.headsign = "late"
    time.stop = stop
    #expect(try stop.hasFault(forRelationship: "stopTimes"))
    try container.mainContext.save()
    #expect(stop.stopTimes.map(\.headsign) == ["0", "1", "late"])
  }

  @Test func cascadesToTheMembers() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A", stopTimes: 3)
    try fixture.context.save()
    fixture.context.delete(stop)
    try fixture.context.save()
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZSTOPTIME") == ["0"])
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZSTOP") == ["0"])
  }

  @Test func nullifiesTheOtherEnd() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A", stopTimes: 2)
    try fixture.context.save()
    fixture.context.delete(stop.stopTimes[0])
    try fixture.context.save()
    #expect(stop.stopTimes.map(\.headsign) == ["1"])
    #expect(try fixture.rows("SELECT ZHEADSIGN FROM ZSTOPTIME") == ["1"])
  }

  @Test func keepsObjectsRelatedAgainSinceTheRuleWasFollowed() throws {
    let fixture = try StoreFixture(vehicleEntities)
    let (old, new) = (fixture.context.insert(Depot.self), fixture.context.insert(Depot.self))
    let tram = fixture.context.insert(Tram.self)
    (tram.number, tram.line, tram.depot) = (1, 68, old)
    try fixture.context.save()
    #expect(old.vehicles.count == 1)
    fixture.context.delete(old)
    fixture.context.processPendingChanges()
    #expect(tram.depot == nil)
    tram.depot = new
    try fixture.context.save()
    #expect(tram.depot === new && new.vehicles.count == 1)
    #expect(try fixture.rows("SELECT ZDEPOT FROM ZVEHICLE") == ["\(new.objectID.primaryKey)"])
  }

  @Test func leavesReferencesAloneWhereNoActionIsTheRule() throws {
    let fixture = try StoreFixture([Folder.self, Paper.self])
    let folder = fixture.context.insert(Folder.self)
    let paper = fixture.context.insert(Paper.self)
    paper.folder = folder
    try fixture.context.save()
    fixture.context.delete(folder)
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZFOLDER FROM ZPAPER") == ["1"])
    let gone = try #require(paper.folder)
    #expect(!paper.hasChanges && gone.isFault && gone.title == nil && gone.isDeleted)
  }

  @Test func keepsPairsOfAManyToManyInAJoinTable() throws {
    let fixture = try StoreFixture(social)
    #expect(
      try fixture.rows("SELECT sql FROM sqlite_master WHERE tbl_name = 'Z_1LABELS' AND sql <> ''")
        == [
          "CREATE TABLE Z_1LABELS ( Z_1CONVERSATIONS INTEGER, Z_3LABELS INTEGER, "
            + "Z_FOK_3LABELS INTEGER, PRIMARY KEY (Z_1CONVERSATIONS, Z_3LABELS) )",
          "CREATE INDEX Z_1LABELS_Z_3LABELS_INDEX ON Z_1LABELS (Z_3LABELS, Z_1CONVERSATIONS)",
        ])
    let conversation = fixture.context.insert(Conversation.self)
    let labels = ["a", "b", "c"].map { text in
      let label = fixture.context.insert(Label.self)
      label.text = text
      return label
    }
    for label in labels { conversation.labels.append(label) }
    #expect(labels[1].conversations.contains(conversation))
    try fixture.context.save()
    #expect(
      try fixture.rows("SELECT * FROM Z_1LABELS ORDER BY 2")
        == ["1|1|1024", "1|2|2048", "1|3|3072"])
    labels[0].conversations.remove(conversation)
    conversation.labels.insert(labels[2], at: 0)
    try fixture.context.save()
    let container = try fixture.reopened(social)
    let again = try #require(try container.mainContext.fetch(FetchRequest<Conversation>()).first)
    #expect(again.labels.map(\.text) == ["c", "b"])
    fixture.context.delete(conversation)
    try fixture.context.save()
    #expect(try fixture.rows("SELECT * FROM Z_1LABELS").isEmpty)
  }

  @Test func movesAOneToOne() throws {
    let fixture = try StoreFixture(social)
    let owner = fixture.context.insert(Owner.self)
    let first = fixture.context.insert(Conversation.self)
    let second = fixture.context.insert(Conversation.self)
    owner.conversation = first
    second.owner = owner
    #expect(first.owner == nil && owner.conversation === second)
    try fixture.context.save()
    #expect(
      try fixture.rows("SELECT ZCONVERSATION FROM ZOWNER") == ["\(second.objectID.primaryKey)"])
  }

  @Test func aMergeEndsTheOneToOneThatWasSetElsewhere() throws {
    let fixture = try StoreFixture(social)
    let owner = fixture.context.insert(Owner.self)
    let conversations = (0..<2).map { _ in fixture.context.insert(Conversation.self) }
    try fixture.context.save()
    let (ownerID, ids) = (owner.objectID, conversations.map(\.objectID))
    func relate(_ id: ManagedObjectID, in context: ManagedObjectContext) throws {
      let owner = try context.object(with: ownerID).as(Owner.self)
      owner?.conversation = try context.object(with: id).as(Conversation.self)
    }
    let mine = fixture.container.newBackgroundContext()
    mine.automaticallyMergesChangesFromParent = true
    try mine.performAndWait { try relate(ids[0], in: mine) }
    let other = fixture.container.newBackgroundContext()
    try other.performAndWait {
      try relate(ids[1], in: other)
      try other.save()
    }
    try mine.performAndWait { try mine.save() }
    #expect(
      try fixture.rows("SELECT Z_PK, ZOWNER FROM ZCONVERSATION ORDER BY Z_PK")
        == ["\(ids[0].primaryKey)|\(ownerID.primaryKey)", "\(ids[1].primaryKey)|NULL"].sorted())
    #expect(try fixture.rows("SELECT ZCONVERSATION FROM ZOWNER") == ["\(ids[0].primaryKey)"])
  }

  @Test func deniesTheDeletionOfAReferencedObject() throws {
    let fixture = try StoreFixture(social)
    let conversation = fixture.context.insert(Conversation.self)
    let guardian = fixture.context.insert(Guard.self)
    guardian.conversation = conversation
    try fixture.context.save()
    fixture.context.delete(conversation)
    #expect(throws: StoreError.deletionDenied(conversation.objectID, relationship: "guards")) {
      try fixture.context.save()
    }
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZCONVERSATION") == ["1"])
    fixture.context.delete(guardian)
    try fixture.context.save()
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZCONVERSATION") == ["0"])
  }
}
