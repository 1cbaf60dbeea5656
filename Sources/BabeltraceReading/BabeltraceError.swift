// SPDX-License-Identifier: Apache-2.0

import CAbortGuard
import CBabeltrace
import StoreEvents

/// The cause that libbabeltrace2 reports, as one sentence.
struct BabeltraceError: Error, CustomStringConvertible {
  let description: String

  static let aborted = BabeltraceError("libbabeltrace2 aborted on damaged data")

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

/// Runs a closure in which libbabeltrace2 may abort; its messages are not printed.
///
/// - Throws: ``BabeltraceError/aborted``, and whatever the closure throws.
func withoutAborting<Result>(_ body: @escaping () throws -> Result) throws -> Result {
  let call = GuardedCall(body)
  // Escaping and retained: after an abort, frames that held them never release them.
  let context = Unmanaged<AnyGuardedCall>.passRetained(call)
  let cameBack = CAbortGuard_run_silently(
    { context in
      guard let context else { return }
      Unmanaged<AnyGuardedCall>.fromOpaque(context).takeUnretainedValue().run()
    }, context.toOpaque())
  context.release()
  guard cameBack, let result = call.result else {
    // Left on the thread, it would make every later call on it abort as well.
    bt_current_thread_clear_error()
    throw BabeltraceError.aborted
  }
  return try result.get()
}

private class AnyGuardedCall {
  func run() {}
}

private final class GuardedCall<Success>: AnyGuardedCall {
  private let body: () throws -> Success
  private(set) var result: Result<Success, any Error>?

  init(_ body: @escaping () throws -> Success) { self.body = body }

  override func run() { result = Result { try body() } }
}
