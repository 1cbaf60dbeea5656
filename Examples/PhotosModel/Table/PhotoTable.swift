// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

/// The naive or the optimized way to show the list.
public enum Manner: String, CaseIterable, Sendable {
  /// All photos are fetched at once; pictures come one by one.
  case before
  /// Photos are fetched in batches, and where all pictures are shown they are prefetched.
  case after
}

/// The work of showing a list of photos, step by step, with the cost of each step.
public enum TableStep: Hashable, Sendable {
  /// The list appears, and shows its first rows.
  case launch
  /// The picture of a photo is shown; photos are counted from 1.
  case click(Int)
  /// Iterates over every row and shows its picture.
  case scroll
}

/// The result and the cost of one step of the list.
public struct StepReport: Sendable {
  /// The step.
  public var step: TableStep
  /// Photos in the list; rows or pictures that were shown.
  public var count: Int
  public var shown: Int
  /// The bytes of the pictures and thumbnails that were shown.
  public var bytesShown: Int
  /// The number of bytes read from files; nil if the machine does not report it.
  public var bytesRead: Int?
  /// Fetch requests, batches and prefetches included.
  public var fetches: UInt64
  public var faults: UInt64
  public var cacheMisses: UInt64
  public var duration: Duration
}

extension PhotoStore {
  // Rows that a screen shows, and twice as many for a batch.
  static let visibleRows = 10
  static let batchSize = 20

  /// Launches the list and carries out the steps requested.
  ///
  /// - Throws: ``PhotosError/noPhoto(_:count:)``, `StoreError`.
  public func list(_ steps: [TableStep], _ manner: Manner) throws -> [StepReport] {
    try list(version.photo, steps, manner)
  }

  private func list<Photo: PhotoEntity>(
    _ type: Photo.Type, _ steps: [TableStep], _ manner: Manner
  ) throws -> [StepReport] {
    let context = container.newBackgroundContext(name: "table")
    return try context.performAndWait {
      var table = PhotoTable<Photo>(context, manner)
      return try steps.map { step in
        let before = Usage(container)
        let (shown, bytes) = try table.run(step)
        return Usage(container).report(
          since: before, step, count: table.count, shown: shown, bytes: bytes)
      }
    }
  }
}

/// The list of one version.
private struct PhotoTable<Photo: PhotoEntity> {
  private let context: ManagedObjectContext
  private let manner: Manner
  private var photos: any RandomAccessCollection<ManagedObject<Photo>> =
    [ManagedObject<Photo>]()

  init(_ context: ManagedObjectContext, _ manner: Manner) {
    self.context = context
    self.manner = manner
  }

  var count: Int { photos.count }

  mutating func run(_ step: TableStep) throws -> (shown: Int, bytes: Int) {
    switch step {
    case .launch:
      try launch()
      return showRows()
    case .click(let number): return (1, try showPicture(number))
    case .scroll: return try scroll()
    }
  }

  private var request: FetchRequest<Photo> {
    var request = FetchRequest<Photo>()
    request.sortDescriptors = [SortDescriptor("timestamp")]
    request.returnsObjectsAsFaults = false
    return request
  }

  private mutating func launch() throws {
    var request = request
    guard manner == .after else {
      photos = try context.fetch(request)
      return
    }
    request.fetchBatchSize = PhotoStore.batchSize
    photos = try context.fetchInBatches(request)
  }

  private func showRows() -> (shown: Int, bytes: Int) {
    let rows = photos.prefix(PhotoStore.visibleRows).map(\.self)
    let labels = rows.map(Photo.label(of:))
    return (labels.count, rows.reduce(0) { $0 + (Photo.thumbnail(of: $1)?.count ?? 0) })
  }

  private func showPicture(_ number: Int) throws -> Int {
    guard number > 0, let photo = photos.dropFirst(number - 1).first else {
      throw PhotosError.noPhoto(number, count: count)
    }
    return Photo.picture(of: photo)?.count ?? 0
  }

  /// A list of pictures: with prefetching, those of a batch come with one statement.
  private mutating func scroll() throws -> (shown: Int, bytes: Int) {
    if manner == .after {
      var request = request
      request.fetchBatchSize = PhotoStore.batchSize
      request.relationshipKeyPathsForPrefetching = Photo.pictureRelationships
      photos = try context.fetchInBatches(request)
    }
    var shown = 0
    var bytes = 0
    for photo in photos {
      guard let picture = Photo.picture(of: photo) else { continue }
      shown += 1
      bytes += picture.count
    }
    return (shown, bytes)
  }
}
