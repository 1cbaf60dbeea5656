// SPDX-License-Identifier: Apache-2.0

import Dispatch
import StoreEvents
import StoreInstruments

/// A fetch that runs its SQL beside the context's queue.
///
/// Unchecked: all but ``read(_:)`` runs on the queue, and that touches nothing that changes.
final class AsynchronousFetch: @unchecked Sendable {
  private var operation: FetchOperation
  private let overlay: PendingChanges?
  private let form: FetchedRows.Form
  private let prefetched: PrefetchTree

  private let store: PersistentStore
  private let entity: EntityDescription
  private let select: SelectStatement
  private let interests: Interests
  private let contextID: UInt64

  /// - Throws: ``FetchPredicateError``; the fetch has then ended.
  init(_ operation: consuming FetchOperation) throws {
    operation.begin()
    do {
      prefetched = try PrefetchTree(operation.prefetchedKeyPaths, of: operation.entity)
      try operation.context.checkDepth()
      operation.context.followKeys()
      try operation.context.followDiscards()
      overlay = try operation.pendingOverlay()
      form = try operation.prepareObjects(isWhole: overlay == nil)
    } catch {
      operation.end(error)
      throw error
    }
    store = operation.store
    entity = operation.entity
    select = operation.select
    interests = operation.interests
    contextID = operation.context.contextID
    self.operation = operation
  }

  struct Reading: Sendable {
    let rows: FetchedRows
    let cost: QueryCost
  }

  /// Reads the rows on a separate thread; ends early if the task is cancelled.
  func read(_ watch: FetchWatch) async throws -> Reading {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(
            with: Result {
              var cost = QueryCost()
              let rows = try self.store.read(
                self.form, of: self.entity, self.select, interests: self.interests,
                contextID: self.contextID, cost: &cost, watch: watch)
              return Reading(rows: rows, cost: cost)
            })
        }
      }
    } onCancel: {
      watch.cancel()
    }
  }

  /// Makes objects of the rows.
  func finish(_ reading: Reading) throws -> [AnyManagedObject] {
    operation.cost = reading.cost
    do {
      let objects = try operation.makeObjects(reading.rows, overlay, prefetched)
      operation.end(nil)
      return objects
    } catch {
      operation.end(error)
      throw error
    }
  }

  func end(_ error: any Error) { operation.end(error) }
}

extension ManagedObjectContext {
  /// Fetches objects without keeping the context's queue waiting for SQLite.
  ///
  ///     let names = try await context.fetchAsynchronously(request) { $0.map(\.name) }
  ///     // SELECT 0, t0.Z_PK, … FROM ZSTOP t0, on another thread
  ///
  /// The SQL runs beside the queue; objects are then made, and passed to `body`, on the queue.
  /// Unsaved changes count as they were at the start of the fetch. Cancelling the task interrupts
  /// SQLite and discards the rows read until then.
  ///
  /// - Parameters:
  ///   - request: the fetch.
  ///   - progress: called every 500 rows, on the thread that reads them.
  ///   - file: the caller's file.
  ///   - line: the caller's line.
  ///   - body: makes, from the objects, the value that may leave the queue.
  /// - Throws: `CancellationError` if the task was cancelled, ``FetchPredicateError`` if the request
  ///   does not fit the entity, ``StoreError``, and the errors of `body`.
  public func fetchAsynchronously<E: Entity & SendableMetatype, Result: Sendable>(
    _ request: FetchRequest<E>, progress: (@Sendable (FetchProgress) -> Void)? = nil,
    file: String = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable ([ManagedObject<E>]) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let fetch = try await perform {
      try AsynchronousFetch(self.operation(request, .objects, file, line))
    }
    let reading: AsynchronousFetch.Reading
    do {
      reading = try await fetch.read(FetchWatch(progress))
    } catch {
      await perform { fetch.end(error) }
      throw error
    }
    return try await perform { try body(self.downcast(try fetch.finish(reading))) }
  }
}
