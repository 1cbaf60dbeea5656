// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Synchronization
import TestSupport
import Testing

/// The calls of hooks, by the running test.
private final class Calls: Sendable {
  @TaskLocal static var current: Calls?
  private let texts = Mutex<[String]>([])

  static func note(_ hook: String, _ object: AnyManagedObject) {
    current?.texts.withLock { $0.append("\(hook) \(object.entity.name)") }
  }

  func take() -> [String] {
    texts.withLock { texts in
      defer { texts = [] }
      return texts
    }
  }
}

private struct Note: Entity, LifecycleHooks {
  let text = Attribute<String>("text", default: "")
  let words = Attribute<Int>("words", default: 0)
  let serial = Attribute<Int?>("serial")
  let pages: ToMany<Page> = ToMany("pages", inverse: \.note, deleteRule: .cascade)

  static func awakeFromInsert(_ note: ManagedObject<Note>) {
    note.serial = 7
    Calls.note("awakeFromInsert", note)
  }
  static func awakeFromFetch(_ note: ManagedObject<Note>) { Calls.note("awakeFromFetch", note) }
  static func willSave(_ note: ManagedObject<Note>) {
    Calls.note("willSave", note)
    let words = note.text.split(separator: " ").count
    if !note.isDeleted, note.words != words { note.words = words }
    if note.text == "endless" { note.serial = (note.serial ?? 0) + 1 }
  }
  static func didSave(_ note: ManagedObject<Note>) { Calls.note("didSave", note) }
  static func prepareForDeletion(_ note: ManagedObject<Note>) {
    Calls.note("prepareForDeletion", note)
  }
  static func willTurnIntoFault(_ note: ManagedObject<Note>) {
    Calls.note("willTurnIntoFault \(note.text)", note)
  }
  static func didTurnIntoFault(_ note: ManagedObject<Note>) {
    Calls.note("didTurnIntoFault", note)
  }
}

private struct Letter: Entity, LifecycleHooks {
  typealias Parent = Note
  let address = Attribute<String?>("address")

  static func awakeFromInsert(_ letter: ManagedObject<Letter>) {
    letter.address = "\(letter.as(Note.self)?.serial ?? 0)"
  }
}

private struct Page: Entity, LifecycleHooks {
  let note = ToOne<Note>("note", inverse: \.pages)

  static func prepareForDeletion(_ page: ManagedObject<Page>) {
    Calls.note("prepareForDeletion", page)
  }
}

@Suite struct LifecycleHooksTests {
  private let fixture: StoreFixture
  private let calls = Calls()

  init() throws { fixture = try StoreFixture([Note.self, Letter.self, Page.self]) }

  @Test func runAroundASaveAndAgainForWhatTheyChange() throws {
    try Calls.$current.withValue(calls) {
      let note = fixture.context.insert(Note.self)
      #expect(note.serial == 7 && calls.take() == ["awakeFromInsert Note"])
      note.text = "two words"
      try fixture.context.save()
      #expect(calls.take() == ["willSave Note", "willSave Note", "didSave Note"])
      #expect(try fixture.rows("SELECT ZWORDS FROM ZNOTE") == ["2"])
      fixture.context.delete(note)
      #expect(calls.take() == ["prepareForDeletion Note"])
      try fixture.context.save()
      #expect(
        calls.take() == [
          "willSave Note", "willTurnIntoFault two words Note", "didTurnIntoFault Note",
          "didSave Note",
        ])
    }
  }

  @Test func runForObjectsThatArePrefetchedFilled() throws {
    try Calls.$current.withValue(calls) {
      fixture.context.insert(Page.self).note = fixture.context.insert(Note.self)
      try fixture.context.save()
      let context = fixture.container.newBackgroundContext()
      var request = FetchRequest<Page>()
      request.returnsObjectsAsFaults = false
      request.relationshipKeyPathsForPrefetching = ["note"]
      _ = calls.take()
      let page = try #require(try context.fetch(request).first)
      #expect(calls.take() == ["awakeFromFetch Note"])
      #expect(page.note?.isFault == false && calls.take() == [])
    }
  }

  @Test func runForObjectsThatComeFilledInABatch() throws {
    try Calls.$current.withValue(calls) {
      _ = fixture.context.insert(Note.self)
      try fixture.context.save()
      for isFault in [true, false] {
        let context = fixture.container.newBackgroundContext()
        var request = FetchRequest<Note>()
        request.returnsObjectsAsFaults = isFault
        request.fetchBatchSize = 2
        let notes = try context.fetchInBatches(request)
        _ = calls.take()
        #expect(notes[0].isFault == isFault)
        #expect(calls.take() == (isFault ? [] : ["awakeFromFetch Note"]))
      }
    }
  }

  @Test func runWhenAFaultFiresOnceAndWhenItBecomesOneAgain() throws {
    try Calls.$current.withValue(calls) {
      fixture.context.insert(Note.self).text = "a"
      try fixture.context.save()
      for isFault in [true, false] {
        let context = fixture.container.newBackgroundContext()
        _ = calls.take()
        var request = FetchRequest<Note>()
        request.returnsObjectsAsFaults = isFault
        let note = try #require(try context.fetch(request).first)
        #expect(calls.take() == (isFault ? [] : ["awakeFromFetch Note"]))
        #expect(note.text == "a" && note.words == 1)
        #expect(calls.take() == (isFault ? ["awakeFromFetch Note"] : []))
        try context.refresh(note, mergeChanges: false)
        #expect(calls.take() == ["willTurnIntoFault a Note", "didTurnIntoFault Note"])
        #expect(note.text == "a" && calls.take() == ["awakeFromFetch Note"])
      }
    }
  }

  @Test func ofAParentEntityRunFirst() throws {
    Calls.$current.withValue(calls) {
      let letter = fixture.context.insert(Letter.self)
      #expect(letter.address == "7" && calls.take() == ["awakeFromInsert Letter"])
    }
  }

  @Test func runForWhatACascadeDeletes() throws {
    try Calls.$current.withValue(calls) {
      let note = fixture.context.insert(Note.self)
      note.pages.append(fixture.context.insert(Page.self))
      try fixture.context.save()
      fixture.context.delete(note)
      try fixture.context.save()
      #expect(calls.take().contains("prepareForDeletion Page"))
      #expect(try fixture.rows("SELECT COUNT(*) FROM ZPAGE") == ["0"])
    }
  }

  @Test func aHookThatChangesItsObjectEachTimeEndsTheSave() throws {
    let note = fixture.context.insert(Note.self)
    note.text = "endless"
    #expect(throws: StoreError.endlessWillSave) { try fixture.context.save() }
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZNOTE") == ["0"])
    note.text = "ends"
    try fixture.context.save()
  }
}
