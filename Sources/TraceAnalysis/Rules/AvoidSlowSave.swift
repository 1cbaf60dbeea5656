// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct AvoidSlowSave: Rule {
  // All are arbitrary: fewer saves are a user's, and more objects keep the writer for long.
  static let minSmallSaves: UInt64 = 50
  static let maxObjectsOfASmallSave = 4.0
  static let minObjectsOfALargeSave = 50_000.0

  static let explanation = RuleExplanation(
    problem: "slow saves",
    law: "A save is short, and changes that belong together are saved together.",
    reason: """
      Each save is a transaction, and its commit waits for the disk, however small it is. A save of very many objects
      holds the writer, and blocks the thread that saves, for a long time.
      """,
    bad: """
      for row in feed { insert(row); try context.save() }      // 10,000 commits
      """,
    good: """
      for part in feed.chunks(of: 1000) { insert(part); try context.save() }      // 10 commits
      """,
    limits: """
      Reported when a line made 50 saves or more of up to four objects each, without a second between two of them, and
      when its saves contain 50,000 objects or more on average. Their own times are shown but do not affect the
      decision. A few small saves, the saves of a user, and a long wait for the lock of another connection
      (AvoidLockWait), are not reported.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.saves.compactMap { save -> Finding? in
      guard save.count > 0 else { return nil }
      if isManySmall(save) { return manySmall(save) }
      return save.objectsPerSave >= Self.minObjectsOfALargeSave ? large(save) : nil
    }
  }

  private func isManySmall(_ save: SaveProfile) -> Bool {
    save.longestSequence ?? save.count >= Self.minSmallSaves
      && save.objectsPerSave <= Self.maxObjectsOfASmallSave
  }

  private func manySmall(_ save: SaveProfile) -> Finding {
    // Core Data's log has no times of commits.
    let time = save.commitTime
    return Finding(
      rule: Self.name, confidence: .medium, caller: save.location,
      message: """
        \(save.count.counted("save")) of \(save.objects.counted("object")) in total\
        \(time > 0 ? " spent \(time.millisecondsText) in their commits" : "").
        """,
      evidence: save.evidence,
      fix: "save after the loop, or every thousand objects",
      saving: time == 0
        ? nil
        : .init(
          atMost: time - time / Int64(clamping: save.count),
          basis: "the time of all commits but one"))
  }

  private func large(_ save: SaveProfile) -> Finding {
    let own = (save.totalTime &- save.waitTime) / Int64(clamping: save.count)
    return Finding(
      rule: Self.name, confidence: .high, caller: save.location,
      message: """
        Each save writes \(save.objectsPerSave.counted("object")) in one transaction, and holds \
        the write lock for \(own.millisecondsText) on average.
        """,
      evidence: save.evidence,
      fix: """
        save every thousand objects, on a private-queue context; use a batch insert for very \
        many, and check whether all indexes of the entity are needed: each is also written
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
