// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// The requests for a snapshot, SIGUSR1 each, while a recorded program runs.
///
///     handler of SIGUSR1 ──s──▶ pipe ──▶ serve(_:)
///     thread that waits  ──e──▶
final class SnapshotRequests: Sendable {
  /// Where the signal handler writes to; -1 while it is not read.
  private static let requests = Atomic<Int32>(-1)

  private let input: Int32
  private let ended = Mutex<Recording.Outcome?>(nil)

  /// From now on SIGUSR1 is a request, and no longer ends us.
  static func catchSignal() {
    var action = sigaction()
    action.sa_flags = SA_RESTART
    action.__sigaction_handler.sa_handler = { _ in
      SnapshotRequests.send("s", to: SnapshotRequests.requests.load(ordering: .relaxed))
    }
    // Cannot fail: this signal may be caught.
    sigaction(SIGUSR1, &action, nil)
  }

  /// Takes requests until a program ends; `nil` without descriptors for a pipe.
  init?(until program: pid_t) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    input = ends[0]
    let output = ends[1]
    Self.requests.store(output, ordering: .relaxed)
    Thread.detachNewThread { [self] in
      let outcome = TracedProgram.wait(for: program)
      ended.withLock { $0 = outcome }
      Self.send("e", to: output)
    }
  }

  /// How the program ended, after ``serve(_:)``.
  var outcome: Recording.Outcome? { ended.withLock { $0 } }

  /// Answers requests until the program ends.
  ///
  /// - Returns: how many snapshots were taken.
  func serve(_ takeSnapshot: () async -> Bool) async -> Int {
    var count = 0
    var request: UInt8 = 0
    while outcome == nil {
      let length = read(input, &request, 1)
      if length < 0, errno == EINTR { continue }
      guard length == 1 else { break }
      if request == UInt8(ascii: "s"), await takeSnapshot() { count += 1 }
    }
    Self.requests.store(-1, ordering: .relaxed)
    return count
  }

  private static func send(_ letter: Unicode.Scalar, to pipe: Int32) {
    var byte = UInt8(ascii: letter)
    if pipe >= 0 { write(pipe, &byte, 1) }
  }
}
