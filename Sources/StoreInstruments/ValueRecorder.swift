// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents
import Synchronization

/// Makes `values` events of some runs of each statement.
final class ValueRecorder: Sendable {
  /// Arbitrary: a program with more statements than this records them a second time.
  private static let capacity = 4_096

  private struct Entry {
    let id: StatementID
    var sampler: RunSampler

    init(sql: String) {
      id = StatementID(sql: sql)
      sampler = RunSampler(id)
    }
  }

  private let entries = Mutex<[String: Entry]>([:])

  /// Starts again: a new listener has none of the values that were recorded before.
  func removeAll() { entries.withLock { $0.removeAll() } }

  /// Returns the event of a run, or `nil` if the run is not one of those that are recorded.
  func event(sql: String, bindings: [BoundValue], storeID: UInt64) -> ValuesBound? {
    guard !bindings.isEmpty else { return nil }
    let hash = bindings.hashValue
    let id: StatementID? = entries.withLock { entries in
      if entries[sql] == nil {
        if entries.count >= Self.capacity { entries.removeAll() }
        entries[sql] = Entry(sql: sql)
      }
      return entries[sql]?.sampler.choose(hash: hash) == .skip ? nil : entries[sql]?.id
    }
    guard let id else { return nil }
    let values = RecordedValues(bindings.map(RecordedValues.Value.init))
    return ValuesBound(storeID: storeID, statementID: id, values: values.text)
  }

  /// Whether the environment enables values: `STORE_TRACE_VALUES=1`.
  static let isEnabledByEnvironment: Bool = {
    guard let setting = getenv("STORE_TRACE_VALUES").map({ String(cString: $0) }) else {
      return false
    }
    return !setting.isEmpty && setting != "0"
  }()
}

extension RecordedValues.Value {
  /// As SQLite has the value.
  init(_ value: BoundValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let value): .integer(value)
      case .real(let value), .timestamp(let value): .real(value)
      case .text(let value): .text(value, byteCount: value.utf8.count)
      case .blob(let prefix, let count): .blob(prefix, byteCount: count)
      }
  }
}
