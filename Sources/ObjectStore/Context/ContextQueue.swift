// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import Synchronization

/// The queue of a context's work, which runs one block at a time.
///
/// A thread that runs blocks of several queues, one within the other, holds them all: so a block
/// may wait for any of them again.
final class ContextQueue: Sendable {
  let isMain: Bool
  private let queue: DispatchQueue
  /// The thread that runs a block, or `never` or `noUser`.
  private let user = Atomic<UInt>(never)
  /// No block was run yet: the program uses its context without the queue, on one thread.
  private static let never: UInt = 0
  private static let noUser: UInt = 1

  /// One queue that a thread holds, on the thread's own stack.
  private struct Hold {
    let queue: Unmanaged<ContextQueue>
    let outer: UnsafeMutableRawPointer?
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    require(code == 0, "no thread-specific key is left: the process uses all 1,024")
    return key
  }()

  // NB: a program that ends in dispatchMain, as an async main does, runs the main queue on other
  // threads than the main one. Neither the key nor its value changes once it is set.
  private static let mainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  init(isMain: Bool) {
    self.isMain = isMain
    queue = isMain ? .main : DispatchQueue(label: "ObjectStore.ManagedObjectContext")
  }

  /// Whether the calling thread runs a block of this queue.
  var isCurrent: Bool {
    if isMain, Thread.isMainThread || DispatchQueue.getSpecific(key: Self.mainKey) == true {
      return true
    }
    var next = pthread_getspecific(Self.key)
    while let hold = next?.assumingMemoryBound(to: Hold.self).pointee {
      if hold.queue.toOpaque() == Unmanaged.passUnretained(self).toOpaque() { return true }
      next = hold.outer
    }
    return false
  }

  /// Whether a thread other than the current one may be using the context.
  var isUsedElsewhere: Bool {
    let user = user.load(ordering: .relaxed)
    guard user != Self.never, user != pthread_self() else { return false }
    return !(isMain && isCurrent)
  }

  /// Records that the current thread uses the context without a block; called where it gets objects.
  ///
  /// Many programs use the main queue's context so, on the main thread.
  func recordUse() {
    guard isMain, user.load(ordering: .relaxed) == Self.never, isCurrent else { return }
    user.store(Self.noUser, ordering: .relaxed)
  }

  func async(_ body: @escaping @Sendable () -> Void) {
    queue.async { self.run(within: nil, body) }
  }

  /// Runs a block and waits for it; at once if the calling thread holds the queue already.
  ///
  /// The block inherits the caller's locks on whichever thread it runs, because the caller waits.
  func sync<R>(_ body: () -> R) -> R {
    if isCurrent { return body() }
    let holds = pthread_getspecific(Self.key)
    return queue.sync { run(within: holds, body) }
  }

  private func run<R>(within holds: UnsafeMutableRawPointer?, _ body: () -> R) -> R {
    let before = pthread_getspecific(Self.key)
    user.store(pthread_self(), ordering: .relaxed)
    defer { user.store(Self.noUser, ordering: .relaxed) }
    var hold = Hold(queue: .passUnretained(self), outer: holds)
    return withUnsafeMutablePointer(to: &hold) { pointer in
      pthread_setspecific(Self.key, pointer)
      defer { pthread_setspecific(Self.key, before) }
      return body()
    }
  }
}
