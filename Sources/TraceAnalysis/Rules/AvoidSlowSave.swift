// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A save takes less time than a user notices, and what belongs together is saved once.
struct AvoidSlowSave: Rule {
  // A tenth of a second is what a user takes for at once.
  static let longest: Nanoseconds = 100_000_000
  static let fewestSmallSaves: UInt64 = 20
  static let mostObjectsOfASmallSave = 4.0

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
      Speaks where the saves of a line take 100 ms each on average, their waits left out; and where 20 saves or more of up to
      four objects each spent half their time, and 100 ms, in commits. A few small saves, and a long wait for another's
      lock (AvoidLockWait), are left alone.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.saves.compactMap { save -> Finding? in
      guard save.count > 0 else { return nil }
      if isManySmall(save) { return manySmall(save) }
      let own = (save.totalTime &- save.waitTime) / Int64(clamping: save.count)
      return own >= Self.longest ? large(save, own) : nil
    }
  }

  private func isManySmall(_ save: SaveProfile) -> Bool {
    save.count >= Self.fewestSmallSaves
      && Double(save.objects) <= Double(save.count) * Self.mostObjectsOfASmallSave
      && save.commitTime >= Self.longest && save.commitTime >= save.totalTime / 2
  }

  private func manySmall(_ save: SaveProfile) -> Finding {
    Finding(
      rule: Self.name, confidence: .medium, caller: save.location,
      message: """
        \(save.count.counted("save")) of \(save.objects.counted("object")) altogether spent \
        \(save.commitTime.millisecondsText) in their commits.
        """,
      evidence: save.evidence,
      fix: "save once, after the loop, or every thousand objects",
      saving: .init(
        atMost: save.commitTime - save.commitTime / Int64(clamping: save.count),
        basis: "the time of all commits but one"))
  }

  private func large(_ save: SaveProfile, _ own: Nanoseconds) -> Finding {
    let commits = save.commitTime > save.writeTime
    return Finding(
      rule: Self.name, confidence: .high, caller: save.location,
      message: """
        Each save takes \(own.millisecondsText), most of it \(commits ? "in the commit" : "writing"): \
        \((Double(save.objects) / Double(save.count)).counted("object")) on average.
        """,
      evidence: save.evidence,
      fix: commits
        ? """
        save on a private-queue context, and look at the disk: a commit writes the log and waits \
        for it
        """
        : """
        save in parts of a thousand objects on a private-queue context; insert very many with a \
        batch insert, and see whether all indexes of the entity are needed: each is written too
        """)
  }
}

extension SaveProfile {
  fileprivate var objects: UInt64 { inserted &+ updated &+ deleted }

  fileprivate var evidence: [Finding.Evidence] {
    [
      .init("saves", count), .init("objects", objects), .init("statements", statements),
      .init("waitNs", waitTime), .init("writeNs", writeTime), .init("commitNs", commitTime),
      .init("totalNs", totalTime),
    ]
  }
}
