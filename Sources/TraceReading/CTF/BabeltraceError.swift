// SPDX-License-Identifier: Apache-2.0

import CBabeltrace
import StoreEvents

/// What libbabeltrace2 says went wrong, as one sentence.
struct BabeltraceError: Error, CustomStringConvertible {
  let description: String

  init(_ sentence: String) { description = sentence }

  /// Takes the current thread's error, so that the next call starts clean.
  init(doing what: String) {
    guard let error = bt_current_thread_take_error() else {
      description = "libbabeltrace2 failed while \(what)"
      return
    }
    defer { bt_error_release(error) }
    // The first cause is the one nearest to the damage.
    let reason =
      bt_error_get_cause_count(error) == 0
      ? nil : bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0))
    let sentence = reason.map { String(cString: $0) } ?? "no reason given"
    // 300 is arbitrary: a cause quotes the offending text, which may be long.
    description = "libbabeltrace2, \(what): \(LogText.escaped(sentence).prefix(300))"
  }
}
