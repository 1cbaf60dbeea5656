// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import TraceRecording

enum LTTngProcesses {
  /// The daemons that were started with a folder as their `LTTNG_HOME`; one that has ended and
  /// waits to be buried has no environment any more.
  static func living(in home: String) throws -> [String] {
    try all().map(String.init).filter { process in
      guard let name = RuntimeDirectory.text(ofFile: "/proc/\(process)/comm", limit: 64),
        let variables = RuntimeDirectory.text(ofFile: "/proc/\(process)/environ", limit: 1 << 16)
      else { return false }
      return name.hasPrefix("lttng") && isOurs(process)
        && variables.split(separator: "\0").contains("LTTNG_HOME=\(home)")
    }
  }

  /// Whether a process is none of another host of `hosts.sh`, with daemons of its own.
  private static func isOurs(_ process: String) -> Bool {
    func namespace(_ process: String) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/pid")
    }
    return namespace(process) == namespace("self")
  }

  /// The processes that a recorder started to clean up after it.
  static func guardians(of recorder: pid_t) throws -> [pid_t] {
    try all().filter {
      RuntimeDirectory.text(ofFile: "/proc/\($0)/cmdline", limit: 1 << 16)?
        .hasSuffix("\0guard-recording\0\(recorder)\0") ?? false
    }
  }

  private static func all() throws -> [pid_t] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
  }
}
