// SPDX-License-Identifier: Apache-2.0

/// Who writes, for events and for the history.
struct SaveOrigin {
  let contextID: UInt64
  /// "" for a context without a name.
  var contextName = ""
  var author: String?
}
