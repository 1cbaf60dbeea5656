// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// A trigger of the file that leaves a row as it was: SQLite reports no error.
@Suite struct IgnoringTriggerTests {
  private let fixture: StoreFixture
  private let stop: ManagedObject<Stop>

  init() throws {
    fixture = try StoreFixture()
    stop = fixture.makeStop("A")
    try fixture.context.save()
  }

  private func makeTrigger(_ event: String) throws {
    try Connection(path: fixture.url.path, mode: .readWrite).execute(
      "CREATE TRIGGER frozen BEFORE \(event) ON ZSTOP BEGIN SELECT RAISE(IGNORE); END")
  }

  @Test(arguments: ["INSERT", "UPDATE", "DELETE"], [MergePolicy.error, .objectTrump, .rollback])
  func saveIgnoredByATriggerIsAnErrorUnderEachPolicy(event: String, policy: MergePolicy) throws {
    try makeTrigger(event)
    let context = fixture.context
    context.mergePolicy = policy
    var key: Int64 = 1
    switch event {
    case "INSERT":
      fixture.makeStop("B")
      key = 2
    case "UPDATE": stop.name = "B"
    default: context.delete(stop)
    }
    let error = #expect(throws: StoreError.self) { try context.save() }
    guard case .ignoredByTrigger(let id, "frozen") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(id.primaryKey == key && id.entityName == "Stop")
    #expect(context.hasChanges)
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["A"])
  }

  @Test(arguments: [BatchConflictPolicy.fail, .update])
  func batchInsertIgnoredByATriggerIsAnError(policy: BatchConflictPolicy) throws {
    try makeTrigger("INSERT")
    #expect(throws: StoreError.self) {
      try fixture.context.batchInsert(Stop.self, count: 2, onConflict: policy) { row, index in
        row.name = "\(index)"
        row.identifier = 5
      }
    }
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["A"])
  }
}
