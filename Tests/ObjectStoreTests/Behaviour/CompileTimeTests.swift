// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// The compiler's messages for a program that imports the store.
@Suite struct CompileTimeTests {
  private static let model = """
    import ObjectStore

    struct Note: Entity {
      let title = Attribute<String>("title")
      let binder: ToOne<Binder> = ToOne("binder", inverse: \\.notes)
    }
    struct Binder: Entity {
      let name = Attribute<String?>("name")
      let notes = ToMany<Note>("notes", inverse: \\.binder)
      static let searchIndex = SearchIndex(\\Binder.name)
    }

    """

  private func expect(_ source: String, _ message: String?) async throws {
    let result = try await SwiftCompiler.check(Self.model + source)
    guard let message else { return #expect(result.compiles, "\(result.messages)") }
    #expect(!result.compiles)
    #expect(result.messages.contains(message), "\(result.messages)")
  }

  @Test func theViewContextIsOfTheMainActor() async throws {
    try await expect(
      """
      @MainActor func show(_ container: PersistentContainer) throws {
        for note in try container.viewContext.fetch(FetchRequest<Note>()) { print(note.title) }
      }
      func id(_ container: PersistentContainer) async throws -> ManagedObjectID? {
        try await MainActor.run {
          try container.viewContext.fetch(FetchRequest<Note>()).first?.objectID
        }
      }
      """, nil)
    try await expect(
      """
      func show(_ container: PersistentContainer) throws {
        for note in try container.viewContext.fetch(FetchRequest<Note>()) { print(note.title) }
      }
      """,
      "main actor-isolated property 'viewContext' can not be referenced from a nonisolated context")
    try await expect(
      """
      func show(_ container: PersistentContainer) {
        Task.detached { try container.viewContext.save() }
      }
      """, "main actor-isolated property 'viewContext' cannot be accessed from outside of the actor"
    )
  }

  @Test func objectsStayInTheirContext() async throws {
    try await expect(
      """
      func note(_ container: PersistentContainer) async throws -> ManagedObject<Note>? {
        try await MainActor.run {
          try container.viewContext.fetch(FetchRequest<Note>()).first
        }
      }
      """, "Sendable")
    try await expect(
      """
      func note(_ context: ManagedObjectContext) async throws -> ManagedObject<Note>? {
        try await context.perform { try context.fetch(FetchRequest<Note>()).first }
      }
      """, "Sendable")
  }

  @Test func swiftsNamesOfStringComparisonsNameOurs() async throws {
    for (name, message) in [
      ("hasPrefix", "call beginsWith(_:), which an index serves"),
      ("hasSuffix", "call endsWith(_:)"),
      (
        "localizedStandardContains",
        "call contains(_:options:) with .caseInsensitive, .diacriticInsensitive"
      ),
    ] {
      try await expect(
        "let request = FetchRequest<Note>(where: { $0.title.\(name)(\"a\") })", message)
    }
    try await expect(
      "let request = FetchRequest<Note>(where: { $0.title.beginsWith(\"a\") })", nil)
  }

  @Test func anInversePairNeedsOneType() async throws {
    try await expect(
      """
      struct A: Entity { let b = ToOne<B>("b", inverse: \\.a) }
      struct B: Entity { let a = ToOne<A>("a", inverse: \\.b) }
      """, "no dynamic member 'b' using key path from root type 'NoParent'")
    try await expect(
      """
      struct A: Entity { let b: ToOne<B> = ToOne("b", inverse: \\.a) }
      struct B: Entity { let a = ToOne<A>("a", inverse: \\.b) }
      """, nil)
  }

  @Test func searchesAreOfAnyEntity() async throws {
    try await expect(
      "let request = FetchRequest<Note>(where: { $0.binder.matchesSearch(words: \"a\") })", nil)
  }
}
