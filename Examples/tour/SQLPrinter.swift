// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import StoreInstruments

/// Prints each statement of a store.
final class SQLPrinter: StoreObserver {
  let interests: Interests = .sql

  func willRun(sql: String, bindings: [BoundValue], contextID: UInt64) { print("  \(sql)") }
  func record(_ event: StoreEvent, contextID: UInt64) {}
  func didReturn(_ objectURIs: [String], entity: String, sql: String, contextID: UInt64) {}
  func didExplain(sql: String, plan: [PlanLine], contextID: UInt64) {}
  func annotate(_ remark: String, contextID: UInt64) {}
  func warn(_ remark: String, contextID: UInt64) {}
}
