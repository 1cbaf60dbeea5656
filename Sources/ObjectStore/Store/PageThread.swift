// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// A thread that uses chunks of pages in the order in which they are sent.
///
/// Unchecked: `use` is called on the thread alone, and is released when ``end()`` has waited for it.
final class PageThread: @unchecked Sendable {
  private var use: ((RowPage) -> Void)?
  private let chunks = Mutex<[Chunk]>([])
  private let sent = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: maxChunks)
  private let ended = DispatchSemaphore(value: 0)

  // With chunks of 128 KiB, 1 MiB.
  private static let maxChunks = 8

  /// Unchecked: a page's contents are immutable.
  private struct Chunk: @unchecked Sendable {
    let pages: [RowPage]
  }

  /// Nil if the system has no thread.
  init?(_ use: @escaping (RowPage) -> Void) {
    self.use = use
    // Signals are the program's: a new thread begins with the mask of the one that makes it.
    var (all, mask) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &mask)
    defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
    var thread = pthread_t()
    let this = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, nil,
      { this in
        if let this { Unmanaged<PageThread>.fromOpaque(this).takeRetainedValue().run() }
        return nil
      }, this.toOpaque())
    guard code == 0 else {
      this.release()
      return nil
    }
    pthread_detach(thread)
  }

  /// Waits while the thread has too many chunks.
  func send(_ pages: [RowPage]) {
    let chunk = Chunk(pages: pages)
    room.wait()
    chunks.withLock { $0.append(chunk) }
    sent.signal()
  }

  /// Waits until all pages were used.
  func end() {
    send([])
    ended.wait()
    use = nil
  }

  // A name of its own for callgrind, which counts it by.
  @inline(never)
  private func run() {
    while true {
      sent.wait()
      let pages = chunks.withLock { $0.removeFirst() }.pages
      for page in pages { use?(page) }
      room.signal()
      if pages.isEmpty { break }
    }
    ended.signal()
  }
}
