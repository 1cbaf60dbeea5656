// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

/// A file of another library is only read, unless the program enables writing.
@Suite struct GuestFileTests {
  private func guestOpening(_ shape: CoreDataShape, _ file: CoreDataFile, _ fit: CoreDataShape.Fit)
    throws -> PersistentContainer
  {
    try file.open(shape.model(fit, in: file.folder)) { $0.isReadOnly = nil }
  }

  @Test(arguments: CoreDataShape.all)
  func isReadAndNotChanged(shape: CoreDataShape) throws {
    let file = try shape.file()
    let model = try shape.model(.fitting, in: file.folder)
    let (bytes, files) = (file.bytes, file.files)
    let container = try file.open(model) { $0.isReadOnly = nil }
    let found = try dump(container)
    for line in shape.expected { #expect(found.contains(line), "\(found)") }
    let context = container.newBackgroundContext()
    _ = try context.insert(entityNamed: try #require(model.entities.last).name)
    #expect(throws: StoreError.self) { try context.save() }
    container.close()
    #expect(file.bytes == bytes)
    #expect(file.files == files)
  }

  @Test func aModelThatDoesNotFitIsRefusedWithAdvice() throws {
    let shape = try #require(CoreDataShape.today.first)
    let file = try shape.file()
    let bytes = file.bytes
    do {
      _ = try guestOpening(shape, file, .newer)
      Issue.record("opened")
    } catch StoreError.incompatibleModel(_, let differences) {
      #expect(differences.contains("no column ZCODE.ZADDEDTEXT"))
      #expect(
        differences.last
          == "a file of Core Data is adapted only where StoreOptions.isReadOnly is false")
    }
    #expect(file.bytes == bytes)
  }

  @Test func onceWrittenItIsOpenedForWriting() throws {
    let shape = try #require(CoreDataShape.today.first)
    let file = try shape.file()
    try file.open(shape.model(.fitting, in: file.folder)) { $0.isReadOnly = false }.close()
    let container = try guestOpening(shape, file, .fitting)
    let context = container.newBackgroundContext()
    _ = try context.insert(entityNamed: "Code")
    try context.save()
  }

  @Test func aFileOfThisLibraryIsOpenedForWriting() throws {
    let fixture = try StoreFixture()
    fixture.container.close()
    let again = try fixture.reopened()
    #expect(again.migrationSteps == [])
    let context = again.newBackgroundContext()
    let stop = context.insert(Stop.self)
    (stop.identifier, stop.name) = (1, "A")
    try context.save()
  }
}
