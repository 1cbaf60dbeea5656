// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// The files in the folder of a recording that goes on: its mark, and the notes of processes that are not recorded.
struct OpenRecording {
  /// The mark's path.
  let mark: String
  let untraced: UntracedProcesses
  private let lock: FileLock

  /// Makes them; the mark is locked as long as we live, for readers of the trace meanwhile.
  init(in folder: String) throws(RecordingError) {
    mark = "\(folder)/\(RecordingMark.fileName)"
    lock = try FileLock(mark)
    lock.lock()
    Self.write(RecordingMark.goesOn, to: mark)
    do {
      untraced = try UntracedProcesses(in: folder)
    } catch {
      unlink(mark)
      throw error
    }
  }

  /// Removes them.
  func end() {
    Self.write(RecordingMark.hasEnded, to: mark)
    _ = untraced.drain()
    unlink(mark)
    lock.unlock()
  }

  /// Writes the mark's content in place: processes have it mapped.
  static func write(_ content: StaticString, to mark: String) {
    let file = open(mark, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return }
    _ = pwrite(file, content.utf8Start, content.utf8CodeUnitCount, 0)
    close(file)
  }
}
