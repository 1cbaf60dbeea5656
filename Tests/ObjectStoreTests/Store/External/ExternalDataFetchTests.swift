// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreInstruments
import TestSupport
import Testing

/// Requests that read data with external storage.
@Suite struct ExternalDataFetchTests {
  private let fixture: PhotoFixture

  init() throws {
    fixture = try PhotoFixture()
    _ = (try fixture.save("A"), try fixture.save("B", .sample(10)))
    fixture.insert("C", nil)
    try fixture.context.save()
  }

  @Test func predicatesTestWhetherThereIsAValue() throws {
    let container = fixture.store.container
    fixture.observer.removeAll()
    #expect(try container.labels("blob == nil") == ["C"])
    #expect(try container.labels("blob != nil") == ["A", "B"])
    #expect(try container.labels("ANY album.photos.blob == nil").isEmpty)
    #expect(fixture.observer.sql[0].contains("WHERE  t0.ZBLOB IS NULL"))
    #expect(!fixture.observer.remarks.contains { $0.hasPrefix("external data") })
    // In memory, over unsaved values, too.
    fixture.insert("D", nil)
    let request = FetchRequest<Photo>(where: { $0.blob == nil })
    #expect(try fixture.context.fetch(request).map(\.label).sorted() == ["C", "D"])
    #expect(!fixture.observer.remarks.contains { $0.hasPrefix("external data") })
  }

  @Test(arguments: [
    "blob == %@", "blob != %@", "%@ == blob", "blob IN {%@}", "blob > %@", "blob == blob",
    "blob BEGINSWITH 'a'", "blob MATCHES 'a'", "uppercase:(blob) == 'A'",
    "CAST(blob, \"NSString\") == 'A'", "album.photos.@max.blob != nil",
  ])
  func refusesAnythingElse(format: String) throws {
    let predicate =
      format.contains("%@") ? try FetchPredicate(format, Data([1])) : try FetchPredicate(format)
    #expect(throws: FetchPredicateError.self) {
      try fixture.context.fetch(FetchRequest<Photo>(predicate: predicate))
    }
  }

  @Test func reportsTheSupportedComparisons() throws {
    let error = #expect(throws: FetchPredicateError.self) {
      let predicate = try FetchPredicate("blob == %@", Data())
      return try fixture.context.fetch(FetchRequest<Photo>(predicate: predicate))
    }
    #expect(
      error?.description
        == "cannot compare blob with Data: compare it with nil, and nothing else: its data may lie in "
        + "a file")
  }

  @Test func refusesOrdersGroupsAndSections() throws {
    func refused(_ configure: (inout FetchRequest<Photo>) -> Void) {
      var request = FetchRequest<Photo>()
      configure(&request)
      #expect(throws: FetchPredicateError.self) {
        guard request.propertiesToFetch.isEmpty else {
          return _ = try fixture.context.fetchDictionaries(request)
        }
        _ = try fixture.context.fetch(request)
      }
    }
    refused { $0.sortDescriptors = [SortDescriptor("blob")] }
    refused {
      $0.propertiesToFetch = ["blob", .count(as: "n")]
      $0.propertiesToGroupBy = ["blob"]
    }
    refused { $0.propertiesToFetch = [.max("blob", as: "n")] }
    refused {
      $0.propertiesToFetch = ["blob"]
      $0.returnsDistinctResults = true
    }
    var request = FetchRequest<Photo>()
    request.sortDescriptors = [SortDescriptor(\.label)]
    #expect(throws: FetchPredicateError.self) {
      let controller = try FetchedResultsController(
        request, context: fixture.context, sectionNameKeyPath: "blob")
      try controller.performFetch()
    }
  }

  @Test func dictionariesHoldTheData() throws {
    var request = FetchRequest<Photo>()
    request.propertiesToFetch = ["label", "blob"]
    request.sortDescriptors = [SortDescriptor(\.label)]
    let rows = try fixture.context.fetchDictionaries(request)
    #expect(rows.map { $0["blob"] } == [.data(.sample(200)), .data(.sample(10)), .null])
    var count = FetchRequest<Photo>()
    count.propertiesToFetch = [.count(\.blob, as: "n")]
    #expect(try fixture.context.fetchDictionaries(count)[0]["n"] == .integer(2))
    try FileManager.default.removeItem(
      at: fixture.folder.appending(path: fixture.files[0]))
    #expect(throws: StoreError.self) { try fixture.context.fetchDictionaries(request) }
  }

  @Test func partialFaultsReadTheFileOnDemand() throws {
    let observer = RecordingObserver()
    let container = try fixture.store.reopened([Photo.self, PhotoAlbum.self], observer: observer)
    let context = container.newBackgroundContext()
    var request = FetchRequest<Photo>()
    request.propertiesToFetch = ["blob"]
    request.sortDescriptors = [SortDescriptor(\.label)]
    let photos = try context.fetch(request)
    #expect(observer.remarks.isEmpty && photos.allSatisfy(\.isFault))
    #expect(photos.map(\.blob) == [.sample(200), .sample(10), nil])
    #expect(observer.remarks.count == 1 && photos.allSatisfy(\.isFault))
  }

  @Test func indexesAndConstraintsAreRefused() throws {
    struct Indexed: Entity {
      let blob = Attribute<Data>("blob", allowsExternalBinaryDataStorage: true)
      static let indexes = [Index<Indexed>(\.blob)]
    }
    #expect(throws: ModelError.indexOfExternalData("blob", entity: "Indexed")) {
      try ManagedObjectModel(entities: [Indexed.self])
    }
  }
}
