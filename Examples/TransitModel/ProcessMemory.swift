// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What this process takes of the machine's memory, in bytes; nil where `/proc` does not tell.
public enum ProcessMemory {
  /// The most that it took at any moment, but for memory that it shares: where LTTng traces it, its
  /// buffers are no memory of the store's.
  public static var peak: Int? {
    bytes(after: "VmHWM:").map { $0 - (bytes(after: "RssShmem:") ?? 0) }
  }
  /// What it takes now.
  public static var current: Int? { bytes(after: "VmRSS:") }

  /// Reads a line such as `VmHWM:    84212 kB`.
  private static func bytes(after name: String) -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) })
    else { return nil }
    return line.split(whereSeparator: \.isWhitespace).dropFirst().first
      .flatMap { Int($0) }.map { $0 * 1024 }
  }
}
