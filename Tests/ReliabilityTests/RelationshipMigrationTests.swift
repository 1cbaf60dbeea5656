// SPDX-License-Identifier: Apache-2.0

import Foundation
import Reliability
import Testing

/// Stores that are opened with another model; thousands of pairs by `make migrations`.
@Suite struct RelationshipMigrationTests {
  @Test func noRelationshipLosesMembersOrTheirOrder() throws {
    let given = ProcessInfo.processInfo.environment["MIGRATION_SEED"].flatMap { UInt64($0) }
    // NB: seed 434411964 gains members under .exact without a step: parts -> Harbour becomes the inverse of itself renamed.
    let first = given ?? 1
    var run = RelationshipMigrations()
    for seed in first..<first + 100 { try run.run(seed: seed) }
    #expect(run.failures == [], "seed \(first): \(run.report)")
    #expect(run.opened > 30 && run.refused > 3 && run.compared > 60, "seed \(first): \(run.report)")
  }
}
