// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Sends values to any number of async sequences, each of which begins when it is requested.
///
/// A sequence keeps what its reader has not taken yet, and ends with its reader or the sender.
final class Broadcaster<Element: Sendable>: Sendable {
  private struct State {
    var continuations: [UInt64: AsyncStream<Element>.Continuation] = [:]
    var lastID: UInt64 = 0
  }

  private let state = Mutex(State())

  deinit { finish() }

  /// Ends the sequences there are.
  func finish() {
    // Each context has five of these, and many a context lives for one fetch.
    guard hasListeners else { return }
    let continuations = state.withLock { state in
      defer { state.continuations = [:] }
      return Array(state.continuations.values)
    }
    for continuation in continuations { continuation.finish() }
  }

  var hasListeners: Bool { state.withLock { !$0.continuations.isEmpty } }

  func stream(
    bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: bufferingPolicy)
    let id = state.withLock { state in
      state.lastID += 1
      state.continuations[state.lastID] = continuation
      return state.lastID
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.continuations.removeValue(forKey: id) }
    }
    return stream
  }

  func send(_ element: Element) {
    for continuation in state.withLock({ Array($0.continuations.values) }) {
      continuation.yield(element)
    }
  }
}
