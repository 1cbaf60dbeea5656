// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// Ends the logs of a recording when they have a size, or when the disk is full.
final class LogLimit: Sendable {
  private struct State {
    var isStopped = false
    var reached: Int64?
  }

  private let folder: LogFolder
  private let limit: Int64
  private let state = Mutex(State())

  /// 1 GiB, or a quarter of the free space if that is less.
  static func usual(freeSpace: Int64) -> Int64 { min(1 << 30, freeSpace / 4) }

  /// Starts to watch, until ``stop()``.
  init(of folder: LogFolder, to limit: Int?) {
    self.folder = folder
    self.limit = limit.map(Int64.init) ?? Self.usual(freeSpace: folder.freeSpace)
    Thread.detachNewThread { [self] in watch() }
  }

  /// Ends the watch.
  ///
  /// - Returns: the size at which the logs were ended; nil if they were not.
  func stop() -> Int64? {
    check()
    return state.withLock { state in
      state.isStopped = true
      return state.reached
    }
  }

  private func watch() {
    while state.withLock({ !$0.isStopped && $0.reached == nil }) {
      let duration = ContinuousClock().measure { check() }
      // 20 ms is arbitrary: a program writes some MB in it. The folder of many processes takes time to read.
      let pause = min(max(duration * 50, .milliseconds(20)), .seconds(1))
      usleep(UInt32(pause / .microseconds(1)))
    }
  }

  private func check() {
    let size = folder.byteCount
    guard size >= limit || size > 0 && folder.freeSpace == 0 else { return }
    state.withLock { state in
      guard !state.isStopped, state.reached == nil else { return }
      folder.end()
      state.reached = size
    }
  }
}
