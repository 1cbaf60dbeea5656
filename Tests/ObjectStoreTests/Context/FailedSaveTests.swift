// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

/// A save that fails leaves its context as it was.
@Suite struct FailedSaveTests {
  @Test func takesBackWhatTheDeleteRulesDid() throws {
    let social: [any Entity.Type] = [Conversation.self, Label.self, Owner.self, Guard.self]
    let fixture = try StoreFixture(social)
    let context = fixture.context
    let conversation = context.insert(Conversation.self)
    let owner = context.insert(Owner.self)
    owner.conversation = conversation
    let label = context.insert(Label.self)
    label.conversations.insert(conversation)
    let guardian = context.insert(Guard.self)
    guardian.conversation = conversation
    try context.save()
    context.delete(conversation)
    #expect(throws: StoreError.deletionDenied(conversation.objectID, relationship: "guards")) {
      try context.save()
    }
    #expect(context.deletedObjects == [conversation] && context.updatedObjects.isEmpty)
    #expect(!owner.isUpdated && owner.conversation === conversation)
    #expect(!label.isUpdated && label.conversations.contains(conversation))
    context.delete(guardian)
    try context.save()
    #expect(owner.conversation == nil && label.conversations.isEmpty)
    #expect(try fixture.rows("SELECT ZCONVERSATION FROM ZOWNER") == ["NULL"])
    #expect(try fixture.rows("SELECT * FROM Z_1LABELS").isEmpty)
  }

  @Test func takesBackTheCascade() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A", stopTimes: 2)
    let other = fixture.makeStop("B")
    try fixture.context.save()
    let times = Array(stop.stopTimes)
    fixture.context.delete(stop)
    other.latitude = .nan
    #expect(throws: StoreError.self) { try fixture.context.save() }
    #expect(times.filter(\.isDeleted).isEmpty && fixture.context.deletedObjects == [stop])
    other.latitude = 1
    try fixture.context.save()
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZSTOPTIME") == ["0"])
  }

  @Test func keepsThePlacesOfAnOrderedToMany() throws {
    var options = StoreOptions()
    options.maximumPageCount = 30
    let fixture = try StoreFixture(options: options)
    let stop = fixture.makeStop("A", stopTimes: 3)
    try fixture.context.save()
    stop.stopTimes.insert(stop.stopTimes[2], at: 0)
    stop.name = String(repeating: "x", count: 1 << 20)
    #expect(throws: StoreError.full(path: fixture.container.path)) { try fixture.context.save() }
    #expect(stop.stopTimes.map(\.headsign) == ["2", "0", "1"])
    stop.name = "A"
    try fixture.context.save()
    #expect(
      try fixture.rows("SELECT ZHEADSIGN FROM ZSTOPTIME ORDER BY Z_FOK_STOP") == ["2", "0", "1"])
  }
}
