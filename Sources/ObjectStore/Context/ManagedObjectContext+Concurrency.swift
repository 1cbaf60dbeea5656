// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  /// The queue of a context's work.
  public enum ConcurrencyType: String, Hashable, Sendable {
    /// On the main queue, for the user interface.
    case mainQueue = "main"
    /// On a queue of the context's own.
    case privateQueue = "private"
  }

  /// Runs work on the context's queue, as one user event, and returns its result.
  ///
  ///     let names = try await context.perform { try context.fetch(request).map(\.name) }
  ///
  /// The event ends with ``processPendingChanges()``. Objects cannot leave it; their ids and values
  /// can.
  public func perform<Result: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let result = await withCheckedContinuation { continuation in
      queue.async {
        let result = Swift.Result<Result, Failure>(catching: work)
        self.processPendingChanges()
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }

  /// Runs work on the context's queue and waits for it; within such work it runs at once.
  public func performAndWait<Result, Failure: Error>(
    _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try queue.sync { Swift.Result<Result, Failure>(catching: work) }.get()
  }

  /// Ends a user event: follows the delete rules of the objects deleted since the last one,
  /// publishes ``objectsDidChange``, and closes a group of the undo manager.
  ///
  /// A database that cannot be read meanwhile is reported by ``faultError`` and by the next save.
  public func processPendingChanges() {
    checkQueue("processPendingChanges")
    do {
      try followDiscards()
      try followDeleteRules()
    } catch { recordFaultError(error) }
    notifyObservations()
    endEvent()
  }
}
