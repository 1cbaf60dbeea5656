// SPDX-License-Identifier: Apache-2.0

extension PersistentContainer {
  /// The result of a fetch now, and again after each commit that changes it.
  ///
  ///     let names = container.values(observing: request) { $0.map(\.name) }
  ///     for try await names in names { show(names) }
  ///     // SELECT 0, t0.Z_PK, t0.ZNAME FROM ZSTOP t0 ORDER BY t0.ZNAME     now, and after a commit
  ///
  /// Observes the saves and batches of this container. Values that a reader has not received are
  /// replaced by newer ones. The fetch runs on a separate context, so the closure returns values,
  /// not objects. The sequence ends when the container is closed, or with the error of a fetch.
  ///
  /// - Parameters:
  ///   - request: the fetch.
  ///   - value: makes a value of the objects; equal ones are sent once.
  public func values<E: Entity & SendableMetatype, Value: Equatable & Sendable>(
    observing request: FetchRequest<E>,
    _ value: @escaping @Sendable ([ManagedObject<E>]) throws -> Value
  ) -> AsyncThrowingStream<Value, any Error> {
    let contexts = contexts
    // Before the first fetch, so that a commit during the fetch is observed.
    let commits = store.commits.stream(bufferingPolicy: .bufferingNewest(1))
    return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        let context = contexts.makeContext(.privateQueue, name: "observing \(E.entityName)")
        var last: Value?
        func send() async throws {
          let next = try await context.perform { () throws(any Error) in
            context.reset()
            return try value(context.fetch(request))
          }
          if next != last { continuation.yield(next) }
          last = next
        }
        do {
          try await send()
          for await _ in commits { try await send() }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
