// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

private enum Renamed {
  struct Stop: Entity {
    static let entityName = "Stop"
    let title = Attribute<String>("title", renamingIdentifier: "name")
  }
}

/// A file that another connection has migrated while it is open here.
@Suite struct ChangedElsewhereTests {
  @Test func eachOperationStatesThatTheTablesWereChanged() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A")
    try fixture.context.save()
    try fixture.reopened([Renamed.Stop.self]).close()
    let context = fixture.context
    stop.name = "B"
    func expect(_ operation: () throws -> Void, _ location: SourceLocation = #_sourceLocation) {
      let error = #expect(throws: StoreError.self, sourceLocation: location) { try operation() }
      guard case .changedElsewhere(fixture.url.path, let reason) = error else {
        Issue.record("\(String(describing: error))", sourceLocation: location)
        return
      }
      #expect(reason.contains("ZNAME"), sourceLocation: location)
    }
    expect { try context.save() }
    context.rollback()
    expect { _ = try context.fetch(FetchRequest<Stop>()) }
    expect { try context.refresh(stop, mergeChanges: true) }
    expect {
      try context.batchInsert(Stop.self, count: 1) { row, _ in
        (row.name, row.identifier) = ("C", 2)
      }
    }
    // The program's own SQL is its own matter.
    let error = #expect(throws: StoreError.self) {
      try fixture.container.read { try $0.rows("SELECT ZNAME FROM ZSTOP") }
    }
    guard case .sqlite = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
