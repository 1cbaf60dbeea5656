// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The name of the running program.
enum ProcessName {
  /// As a trace has it in `procname`: the kernel keeps fifteen bytes of it.
  static let current: String = {
    guard let path = CommandLine.arguments.first, let name = path.split(separator: "/").last else {
      return "unknown"
    }
    return String(name)
  }()
}
