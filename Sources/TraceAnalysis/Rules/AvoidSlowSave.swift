// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A save takes less time than a user notices, and what belongs together is saved once.
struct AvoidSlowSave: Rule {
  // All are arbitrary: fewer saves are a user's, and more objects keep the writer for long.
  static let minSmallSaves: UInt64 = 50
  static let maxObjectsOfASmallSave = 4.0
  static let minObjectsOfALargeSave = 50_000.0

  static let explanation = RuleExplanation(
    law: "A save takes less time than a user notices, and what belongs together is saved once.",
    reason: """
      Each save is a transaction: its commit waits for the disk, whatever it holds. And a save of very many objects keeps the
      writer, and the thread that saves, for as long.
      """,
    bad: """
      for row in feed { insert(row); try context.save() }      // 10,000 commits
      """,
    good: """
      for part in feed.chunks(of: 1000) { insert(part); try context.save() }      // 10 commits
      """,
    limits: """
      Reported when a line made 50 saves or more of up to four objects each, and when its saves hold 50,000 objects or more
      on average. What they took is shown and decides nothing. A few small saves, and a long wait for another's lock
      (AvoidLockWait), are left alone.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.saves.compactMap { save -> Finding? in
      guard save.count > 0 else { return nil }
      if isManySmall(save) { return manySmall(save) }
      return save.objectsPerSave >= Self.minObjectsOfALargeSave ? large(save) : nil
    }
  }

  private func isManySmall(_ save: SaveProfile) -> Bool {
    save.count >= Self.minSmallSaves && save.objectsPerSave <= Self.maxObjectsOfASmallSave
  }

  private func manySmall(_ save: SaveProfile) -> Finding {
    Finding(
      rule: Self.name, confidence: .medium, caller: save.location,
      message: """
        \(save.count.counted("save")) of \(save.objects.counted("object")) altogether spent \
        \(save.commitTime.millisecondsText) in their commits.
        """,
      evidence: save.evidence,
      fix: "save after the loop, or every thousand objects",
      saving: .init(
        atMost: save.commitTime - save.commitTime / Int64(clamping: save.count),
        basis: "the time of all commits but one"))
  }

  private func large(_ save: SaveProfile) -> Finding {
    let own = (save.totalTime &- save.waitTime) / Int64(clamping: save.count)
    return Finding(
      rule: Self.name, confidence: .high, caller: save.location,
      message: """
        Each save writes \(save.objectsPerSave.counted("object")) in one transaction, and holds the \
        write lock for \(own.millisecondsText) on average.
        """,
      evidence: save.evidence,
      fix: """
        save every thousand objects, on a private-queue context; insert very many with a batch \
        insert, and check whether all indexes of the entity are needed: each is written too
        """)
  }
}

extension SaveProfile {
  fileprivate var objectsPerSave: Double { Double(objects) / Double(max(count, 1)) }

  fileprivate var objects: UInt64 { inserted &+ updated &+ deleted }

  fileprivate var evidence: [Finding.Evidence] {
    [
      .init("saves", count), .init("objects", objects), .init("statements", statements),
      .init("waitNs", waitTime), .init("writeNs", writeTime), .init("commitNs", commitTime),
      .init("totalNs", totalTime),
    ]
  }
}
