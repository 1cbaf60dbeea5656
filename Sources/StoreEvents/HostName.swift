// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The name of this host, as LTTng writes it into its traces.
package enum HostName {
  package static var current: String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
