// SPDX-License-Identifier: Apache-2.0

import Glibc

typealias CString = UnsafePointer<CChar>

/// Lends a string as C reads it, without a copy where Swift's own storage will do.
///
/// A NUL would end it too soon: it goes out as the six characters `\u{0}`.
func withTraceString(_ text: String, _ body: (CString) -> Void) {
  let isWhole = text.withCString { string in
    guard strlen(string) == text.utf8.count else { return false }
    body(string)
    return true
  }
  guard !isWhole else { return }
  text.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\\u{0}")
    .withCString(body)
}
