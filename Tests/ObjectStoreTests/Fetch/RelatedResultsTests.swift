// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Testing

/// Controllers whose predicate is about the members of a to-many.
@Suite struct RelatedResultsTests {
  struct Friend: Entity {
    let name = Attribute<String>("name", default: "")
    let age = Attribute<Int>("age", default: 0)
    let friends: ToMany<Friend> = ToMany("friends", inverse: \.friends)
  }

  @Test(arguments: [false, true], [false, true])
  func followsMembersOfObjectsThatHaveChangesAlready(isSaved: Bool, isUndone: Bool) throws {
    let fixture = try StoreFixture([Friend.self])
    let context = fixture.container.newBackgroundContext()
    let (a, b) = (context.insert(Friend.self), context.insert(Friend.self))
    (a.name, a.age, b.name, b.age) = ("a", 30, "b", 40)
    if isSaved { try context.save() }
    var request = FetchRequest<Friend>(predicate: try FetchPredicate("ANY friends.age > 20"))
    request.sortDescriptors = [SortDescriptor(\.name)]
    let controller = try FetchedResultsController(request, context: context)
    try controller.performFetch()
    if isSaved {
      (a.age, b.age) = (31, 41)
      context.processPendingChanges()
    }
    #expect(controller.snapshot.count == 0)
    a.friends.insert(b)
    context.processPendingChanges()
    #expect(controller.snapshot.count == 2)
    if isUndone {
      a.friends.remove(b)
      context.processPendingChanges()
      #expect(controller.snapshot.count == 0)
    }
    try context.save()
    #expect(try controller.snapshot.count == context.fetch(request).count)
  }
}
