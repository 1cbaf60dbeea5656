// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

private struct Playlist: Entity {
  let name = Attribute<String?>("name")
  let tracks: ToMany<Track> = ToMany("tracks", inverse: \.playlist, ordered: true)
  let moods: ToMany<Mood> = ToMany("moods", inverse: \.playlists, ordered: true)
}

private struct Track: Entity {
  let title = Attribute<String>("title")
  let playlist = ToOne<Playlist>("playlist", inverse: \.tracks)
}

private struct Mood: Entity {
  let word = Attribute<String>("word")
  let playlists: ToMany<Playlist> = ToMany("playlists", inverse: \.moods)
}

/// Undo after a save, of changes to an order.
@Suite struct OrderedUndoTests {
  private let fixture: StoreFixture
  private let list: ManagedObject<Playlist>
  private let other: ManagedObject<Playlist>
  private let undoManager = ContextUndoManager()

  private var context: ManagedObjectContext { fixture.context }

  init() throws {
    fixture = try StoreFixture([Playlist.self, Track.self, Mood.self])
    let lists = ["A", "B"].map { [context = fixture.context] name in
      let list = context.insert(Playlist.self)
      list.name = name
      for place in 0..<4 {
        let (track, mood) = (context.insert(Track.self), context.insert(Mood.self))
        (track.title, mood.word) = ("\(name)\(place)", "\(name)\(place)")
        list.tracks.append(track)
        list.moods.append(mood)
      }
      return list
    }
    (list, other) = (lists[0], lists[1])
    try context.save()
    context.undoManager = undoManager
  }

  /// The order in this context, and that of the file once it is saved.
  private func expect(
    _ order: [String], of list: ManagedObject<Playlist>? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let list = list ?? self.list
    // Deleted members leave once the delete rules are followed.
    if list.tracks.contains(where: \.isDeleted) { try context.save() }
    #expect(list.tracks.map(\.title) == order, sourceLocation: location)
    #expect(list.moods.map(\.word) == order, sourceLocation: location)
    try context.save()
    let reader = fixture.container.newBackgroundContext()
    let saved = try #require(
      try reader.existingObject(with: list.objectID).as(Playlist.self))
    #expect(saved.tracks.map(\.title) == order, sourceLocation: location)
    #expect(saved.moods.map(\.word) == order, sourceLocation: location)
  }

  @Test func moveInAnOrderedRelationshipIsUndoneAndRedone() throws {
    list.tracks.insert(list.tracks[3], at: 0)
    list.moods.insert(list.moods[3], at: 0)
    try expect(["A3", "A0", "A1", "A2"])
    undoManager.undo()
    try expect(["A0", "A1", "A2", "A3"])
    undoManager.redo()
    try expect(["A3", "A0", "A1", "A2"])
  }

  @Test func aDeletedMemberIsBackAtItsPlace() throws {
    context.delete(list.tracks[1])
    context.delete(list.moods[1])
    try expect(["A0", "A2", "A3"])
    undoManager.undo()
    try expect(["A0", "A1", "A2", "A3"])
    undoManager.redo()
    try expect(["A0", "A2", "A3"])
  }

  @Test func aMemberOfAnotherListIsBackAtItsPlace() throws {
    let (track, mood) = (list.tracks[1], list.moods[1])
    other.tracks.insert(track, at: 0)
    other.moods.insert(mood, at: 0)
    list.moods.remove(mood)
    try expect(["A0", "A2", "A3"])
    try expect(["A1", "B0", "B1", "B2", "B3"], of: other)
    undoManager.undo()
    try expect(["A0", "A1", "A2", "A3"])
    try expect(["B0", "B1", "B2", "B3"], of: other)
  }

  @Test func membersThatWereNeverLoadedComeBeforeOneThatIsBack() throws {
    let container = fixture.container
    let context = container.newBackgroundContext()
    context.undoManager = ContextUndoManager()
    let tracks = try context.fetch(FetchRequest<Track>(where: { $0.title == "A1" }))
    let target = try context.fetch(FetchRequest<Playlist>(where: { $0.name == "B" }))
    tracks[0].playlist = target[0]
    try context.save()
    context.undoManager?.undo()
    let list = try #require(tracks[0].playlist)
    let order = list.tracks.map(\.title)
    #expect(Set(order) == ["A0", "A1", "A2", "A3"])
    try context.save()
    let reader = container.newBackgroundContext()
    let saved = try #require(try reader.existingObject(with: list.objectID).as(Playlist.self))
    #expect(saved.tracks.map(\.title) == order)
  }
}
