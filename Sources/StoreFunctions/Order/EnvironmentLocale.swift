// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The language of the process, from its environment variables.
package enum EnvironmentLocale {
  /// `de_DE` of `LC_ALL`, `LC_COLLATE` or `LANG`, the first that is set; "" for `C` and `POSIX`.
  ///
  /// See <https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html>.
  package static let identifier = identifier { name in getenv(name).map { String(cString: $0) } }

  package static func identifier(_ variable: (String) -> String?) -> String {
    let value = ["LC_ALL", "LC_COLLATE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
    // Without the encoding and the variant: `de_DE.UTF-8@euro`.
    let name = value?.prefix { $0 != "." && $0 != "@" } ?? ""
    return name == "C" || name == "POSIX" ? "" : String(name)
  }
}
