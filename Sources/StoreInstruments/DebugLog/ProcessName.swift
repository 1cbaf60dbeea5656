// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The name of the running program.
package enum ProcessName {
  /// As the lines of the log and `store_opened` tell it.
  package static let current: String = {
    guard let path = CommandLine.arguments.first, let name = path.split(separator: "/").last else {
      return "unknown"
    }
    return String(name)
  }()
}
