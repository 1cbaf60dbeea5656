// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// The effect of a save on a row that another connection has written meanwhile.
@Suite struct MergePolicyTests {
  /// A stop `A|1|note NULL` that is `theirs|1|theirs` in the file, and `mine|2|NULL` in memory.
  private func makeConflict(
    _ policy: MergePolicy, theirs: String
  ) throws -> (StoreFixture, ManagedObject<Stop>) {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A", identifier: 1)
    try fixture.context.save()
    try Connection(path: fixture.url.path).execute(theirs)
    stop.name = "mine"
    stop.identifier = 2
    fixture.context.mergePolicy = policy
    return (fixture, stop)
  }

  private static let update = "UPDATE ZSTOP SET ZNAME = 'theirs', ZNOTE = 'theirs', Z_OPT = 7"

  @Test(
    arguments: [
      (MergePolicy.storeTrump, "8|2|theirs|theirs"), (.objectTrump, "8|2|mine|theirs"),
      (.overwrite, "8|2|mine|NULL"), (.rollback, "7|1|theirs|theirs"),
    ])
  func resolvesWhatBothHaveChanged(policy: MergePolicy, row: String) throws {
    let (fixture, stop) = try makeConflict(policy, theirs: Self.update)
    try fixture.context.save()
    let saved = "SELECT Z_OPT, ZIDENTIFIER, ZNAME, ZNOTE FROM ZSTOP"
    #expect(try fixture.rows(saved) == [row])
    // The object equals the row, and the next save fits it.
    let memory = "\(stop.identifier)|\(stop.name)|\(stop.note ?? "NULL")"
    #expect(row.hasSuffix(memory) && !fixture.context.hasChanges)
    stop.note = "later"
    fixture.context.mergePolicy = .error
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZNOTE FROM ZSTOP") == ["later"])
  }

  @Test(arguments: MergePolicy.allCases)
  func resolvesARowThatIsGone(policy: MergePolicy) throws {
    let (fixture, stop) = try makeConflict(policy, theirs: "DELETE FROM ZSTOP")
    let rows = "SELECT Z_PK, Z_OPT, ZIDENTIFIER, ZNAME FROM ZSTOP"
    switch policy {
    case .error:
      let error = #expect(throws: StoreError.self) { try fixture.context.save() }
      #expect("\(try #require(error))".contains("/p1 (its row was deleted)"))
      #expect(stop.isUpdated && stop.name == "mine")
    case .storeTrump, .rollback:
      try fixture.context.save()
      #expect(try fixture.rows(rows).isEmpty)
      #expect(stop.isDeleted && !fixture.context.hasChanges)
    case .objectTrump, .overwrite:
      try fixture.context.save()
      #expect(try fixture.rows(rows) == ["1|1|2|mine"])
      stop.name = "again"
      try fixture.context.save()
      #expect(try fixture.rows(rows) == ["1|2|2|again"])
    }
  }

  @Test(arguments: MergePolicy.allCases)
  func resolvesADeletionOfAChangedRow(policy: MergePolicy) throws {
    let (fixture, stop) = try makeConflict(policy, theirs: Self.update)
    fixture.context.delete(stop)
    let count = "SELECT COUNT(*) FROM ZSTOP"
    switch policy {
    case .error:
      #expect(throws: StoreError.self) { try fixture.context.save() }
      #expect(try stop.isDeleted && fixture.rows(count) == ["1"])
    case .storeTrump, .rollback:
      try fixture.context.save()
      #expect(try fixture.rows(count) == ["1"])
      #expect(!stop.isDeleted && stop.name == "theirs" && !fixture.context.hasChanges)
    case .objectTrump, .overwrite:
      try fixture.context.save()
      #expect(try fixture.rows(count) == ["0"])
      #expect(!stop.isDeleted && !fixture.context.hasChanges)
    }
  }

  @Test func twoDeletionsOfARowAgree() throws {
    let (fixture, stop) = try makeConflict(.error, theirs: "DELETE FROM ZSTOP")
    fixture.context.delete(stop)
    try fixture.context.save()
    #expect(!stop.isDeleted && !fixture.context.hasChanges)
  }

  @Test func resolvesNothingWhenTheSaveFails() throws {
    let fixture = try StoreFixture()
    let stops = [fixture.makeStop("A"), fixture.makeStop("B")]
    try fixture.context.save()
    let other = try Connection(path: fixture.url.path)
    try other.execute("UPDATE ZSTOP SET ZNAME = 'theirs', Z_OPT = 2 WHERE Z_PK = 1")
    try other.execute(
      "CREATE TRIGGER stopB BEFORE DELETE ON ZSTOP BEGIN SELECT RAISE(ABORT, 'no'); END")
    stops[0].name = "mine"
    fixture.context.delete(stops[1])
    fixture.context.mergePolicy = .storeTrump
    #expect(throws: StoreError.self) { try fixture.context.save() }
    #expect(stops[0].name == "mine" && stops[0].isUpdated && stops[1].isDeleted)
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["theirs", "B"])
    try other.execute("DROP TRIGGER stopB")
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["theirs"])
  }
}
