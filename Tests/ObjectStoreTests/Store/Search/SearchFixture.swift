// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreInstruments
import TestSupport
import Testing

enum Searched {
  struct Note: Entity {
    static let entityName = "Note"
    let number = Attribute<Int>("number", default: 0)
    let title = Attribute<String>("title")
    let body = Attribute<String?>("body")
    let link = Attribute<URL?>("link")
    let binder = ToOne<Binder>("binder", inverse: \.notes)
    static let searchIndex = SearchIndex(\Note.title, \Note.body, \Note.link)
    static let uniquenessConstraints = [UniquenessConstraint<Note>(\.number)]
  }

  struct Binder: Entity {
    static let entityName = "Binder"
    let name = Attribute<String?>("name")
    let notes: ToMany<Note> = ToMany("notes", inverse: \.binder)
    static let searchIndex = SearchIndex(\Binder.name)
  }

  static var entities: [any Entity.Type] { [Note.self, Binder.self] }
}

/// The same without indexes.
enum Unsearched {
  struct Note: Entity {
    static let entityName = "Note"
    let number = Attribute<Int>("number", default: 0)
    let title = Attribute<String>("title")
    let body = Attribute<String?>("body")
    let link = Attribute<URL?>("link")
    let binder = ToOne<Binder>("binder", inverse: \.notes)
    static let uniquenessConstraints = [UniquenessConstraint<Note>(\.number)]
  }

  struct Binder: Entity {
    static let entityName = "Binder"
    let name = Attribute<String?>("name")
    let notes: ToMany<Note> = ToMany("notes", inverse: \.binder)
  }

  static var entities: [any Entity.Type] { [Note.self, Binder.self] }
}

/// Renamed columns, one more attribute, other unique values: the table is made again.
enum Reshaped {
  struct Note: Entity {
    static let entityName = "Note"
    let number = Attribute<Int>("number", default: 0)
    let heading = Attribute<String>("heading", renamingIdentifier: "title")
    let text = Attribute<String?>("text", renamingIdentifier: "body")
    let link = Attribute<URL?>("link")
    let stars = Attribute<Int>("stars", default: 3)
    let binder = ToOne<Binder>("binder", inverse: \.notes)
    static let searchIndex = SearchIndex(\Note.heading, \Note.text)
    static let uniquenessConstraints = [UniquenessConstraint<Note>(\.number, \.stars)]
  }

  struct Binder: Entity {
    static let entityName = "Binder"
    let name = Attribute<String?>("name")
    let notes: ToMany<Note> = ToMany("notes", inverse: \.binder)
  }

  static var entities: [any Entity.Type] { [Note.self, Binder.self] }
}

extension StoreFixture {
  @discardableResult
  func makeNote(_ number: Int, _ title: String, _ body: String?) -> ManagedObject<Searched.Note> {
    let note = context.insert(Searched.Note.self)
    (note.number, note.title, note.body) = (number, title, body)
    return note
  }
}

extension ManagedObjectContext {
  /// The numbers of the notes that a search finds, sorted.
  func found(_ query: String) throws -> [Int] {
    try found { $0.matchesSearch(query) }
  }

  func found(_ predicate: (Searched.Note) -> FetchPredicate) throws -> [Int] {
    try fetch(FetchRequest<Searched.Note>(where: predicate)).map(\.number).sorted()
  }
}
