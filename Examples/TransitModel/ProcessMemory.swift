// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The memory use of this process.
public enum ProcessMemory {
  /// In bytes, without shared memory; nil if `/proc` does not report it.
  ///
  /// Under LTTng, the trace buffers are not counted. The kernel keeps a maximum only of the total,
  /// so the caller must sample this to find its maximum.
  public static var current: Int? {
    guard let all = bytes(after: "VmRSS:") else { return nil }
    return all - (bytes(after: "RssShmem:") ?? 0)
  }

  /// Reads a line such as `VmHWM:    84212 kB`.
  private static func bytes(after name: String) -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) })
    else { return nil }
    return line.split(whereSeparator: \.isWhitespace).dropFirst().first
      .flatMap { Int($0) }.map { $0 * 1024 }
  }
}
