// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Sends values to any number of async sequences, each of which begins when it is requested.
///
/// A sequence buffers the values until its reader takes them, and ends with its reader or the
/// sender.
final class Broadcaster<Element: Sendable>: Sendable {
  /// Guarded by the lock.
  private final class Listeners: @unchecked Sendable {
    var continuations: [UInt64: AsyncStream<Element>.Continuation] = [:]
    var lastID: UInt64 = 0
  }

  // Listeners, made for the first one; not of their type, which would be looked up at each use. Each
  // context has five of these, and many a context lives for one fetch.
  private let listeners = Mutex<(any AnyObject & Sendable)?>(nil)

  deinit { if hadListeners { finish() } }

  /// Ends the sequences there are.
  func finish() {
    let continuations = withListeners { listeners in
      defer { listeners.continuations = [:] }
      return Array(listeners.continuations.values)
    }
    for continuation in continuations ?? [] { continuation.finish() }
  }

  var hasListeners: Bool {
    hadListeners && withListeners { !$0.continuations.isEmpty } == true
  }

  private var hadListeners: Bool { listeners.withLock { $0 != nil } }

  func stream(
    bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: bufferingPolicy)
    listeners.withLock { if $0 == nil { $0 = Listeners() } }
    let id = withListeners { listeners in
      listeners.lastID += 1
      listeners.continuations[listeners.lastID] = continuation
      return listeners.lastID
    }
    continuation.onTermination = { [weak self] _ in
      self?.withListeners { $0.continuations[id ?? 0] = nil }
    }
    return stream
  }

  func send(_ element: Element) {
    for continuation in withListeners({ Array($0.continuations.values) }) ?? [] {
      continuation.yield(element)
    }
  }

  @discardableResult
  private func withListeners<R: Sendable>(_ body: (Listeners) -> R) -> R? {
    listeners.withLock { $0.map { body(unsafeDowncast($0, to: Listeners.self)) } }
  }
}
