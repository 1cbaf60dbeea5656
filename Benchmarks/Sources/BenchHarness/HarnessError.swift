// SPDX-License-Identifier: Apache-2.0

package enum HarnessError: Error, CustomStringConvertible {
  case checksums(String, [String])
  case markers(String)

  package var description: String {
    switch self {
    case .checksums(let title, let sums):
      "\(title): the contenders did not do the same work (\(sums.joined(separator: ", ")))"
    case .markers(let path):
      "\(path) has no lines '<!-- bench -->' and '<!-- /bench -->' to write between"
    }
  }
}
