// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import TraceRecording

enum LTTngProcesses {
  /// The daemons that were started with a folder as their `LTTNG_HOME`; one that has ended and
  /// waits to be buried has no environment any more.
  static func living(in home: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { process in
      guard Int(process) != nil,
        let name = RuntimeDirectory.text(ofFile: "/proc/\(process)/comm", limit: 64),
        let variables = RuntimeDirectory.text(ofFile: "/proc/\(process)/environ", limit: 1 << 16)
      else { return false }
      return name.hasPrefix("lttng")
        && variables.split(separator: "\0").contains("LTTNG_HOME=\(home)")
    }
  }
}
