// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The name of the running program.
package enum ProcessName {
  /// As in the lines of the log and in `store_opened`.
  package static let current: String = {
    guard let path = CommandLine.arguments.first, let name = path.split(separator: "/").last else {
      return "unknown"
    }
    return String(name)
  }()
}
