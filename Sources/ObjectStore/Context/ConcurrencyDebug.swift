// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The check that `STORE_CONCURRENCY_DEBUG=1` enables: contexts and objects are used only on their
/// queues.
///
/// Off, it costs one load a call of a context and nothing a read of a property: under the check no
/// object is ever without a list of changes, so that reads leave their short way by themselves.
enum ConcurrencyDebug {
  static let isOn: Bool = {
    guard let value = getenv("STORE_CONCURRENCY_DEBUG") else { return false }
    return !["", "0"].contains(String(cString: value))
  }()
}

extension ManagedObjectContext {
  /// Traps if the context is used off its queue, and that is to be checked.
  func checkQueue(_ use: @autoclosure () -> String) {
    guard checksQueue, !queue.isCurrent else { return }
    fatalError(
      "STORE_CONCURRENCY_DEBUG: context \(contextID)\(name.isEmpty ? "" : " '\(name)'") was used off "
        + "its \(concurrencyType.rawValue) queue (\(use())); use it within perform or performAndWait"
    )
  }
}

extension AnyManagedObject {
  /// The changes of an object that has none: see ``ConcurrencyDebug``.
  final var noChanges: [StoreValue?] {
    guard context?.checksQueue == true else { return [] }
    return Array(repeating: nil, count: entity.rowLayout.slotCount)
  }

  final func checkQueue() {
    if checksQueue { context?.checkQueue("a \(entity.name)") }
  }
}
