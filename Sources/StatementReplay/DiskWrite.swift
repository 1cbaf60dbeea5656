// SPDX-License-Identifier: Apache-2.0

import Glibc

enum DiskWrite {
  /// At most; more takes proportionally longer.
  private static let measuredBytes: UInt64 = 64 << 20

  /// The time of an `fsync` after a write of so many bytes to a file in a folder, in nanoseconds: the median of three; 0 if the
  /// write fails.
  static func time(of bytes: UInt64, in folder: String) -> UInt64 {
    (0..<3).map { _ in oneTime(of: bytes, in: folder) }.sorted()[1]
  }

  private static func oneTime(of bytes: UInt64, in folder: String) -> UInt64 {
    let path = folder + "/written"
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return 0 }
    unlink(path)
    defer { close(file) }
    let part = [UInt8](repeating: 0x5a, count: 1 << 20)
    var remaining = min(bytes, measuredBytes)
    while remaining > 0 {
      let count = write(file, part, Int(min(remaining, UInt64(part.count))))
      guard count > 0 else { return 0 }
      remaining -= UInt64(count)
    }
    let start = MigrationRun.now
    fsync(file)
    let time = Double(MigrationRun.now - start)
    return UInt64(time * max(1, Double(bytes) / Double(measuredBytes)))
  }
}
