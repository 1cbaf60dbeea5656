// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// What keeps a builder small that counts for days: see ``LiveProfile``.
extension ProfileBuilder {
  // All arbitrary: some ten times what a program has that writes its SQL once, and far above what
  // a screen shows. Half of the many are kept, so that forgetting is seldom.
  static let mostStatements = 2048
  static let mostCallers = 64
  static let mostOrigins = 1024
  static let mostProcesses = 4096

  /// Forgets those that cost least, of what there is too much of; the totals keep what they did.
  mutating func forgetTheLeast() {
    statements.keepLargest(of: Self.mostStatements) { $0.totalTime }
    for id in statements.keys where (statements[id]?.callers.count ?? 0) > Self.mostCallers {
      statements[id]?.callers.keepLargest(of: Self.mostCallers) { $0.work.totalTime }
    }
    // A statement is announced before it runs, and its text may be needed yet.
    if texts.count > 2 * Self.mostStatements { texts = texts.filter { statements[$0.key] != nil } }
    faults.keepLargest(of: Self.mostOrigins) { Int64(clamping: $0.profile.misses) }
    saves.keepLargest(of: Self.mostOrigins) { $0.profile.totalTime }
    batches.keepLargest(of: Self.mostOrigins) { $0.batchTime }
    stores = Array(stores.suffix(Self.mostOrigins))
    // Nothing of a live view tells contexts apart.
    contexts = [:]
    // A thread that ended keeps its last miss.
    if pendingMisses.count > Self.mostOrigins { pendingMisses = [:] }
    if processes.profiles.count > Self.mostProcesses { forgetProcesses() }
  }

  /// Starts counting anew; texts, and fetches that are running, stay known.
  mutating func resetCounts() {
    var new = ProfileBuilder(filter)
    new.texts = texts
    new.stores = stores
    new.processes = processes
    new.pendingFetches = pendingFetches
    new.pendingMisses = pendingMisses
    new.batchedFetches = batchedFetches
    new.commits = commits
    self = new
  }

  /// Forgets processes, and with them what is pending of each.
  private mutating func forgetProcesses() {
    processes = ProcessTable()
    pendingFetches = [:]
    pendingMisses = [:]
    batchedFetches = [:]
    commits = [:]
  }
}

extension StatementTally {
  /// Of all callers, in nanoseconds.
  fileprivate var totalTime: Nanoseconds {
    callers.values.reduce(into: 0) { $0.add($1.work.totalTime) }
  }
}

extension Dictionary {
  /// Keeps the half of so many that have the largest amounts, where there are more.
  fileprivate mutating func keepLargest(of most: Int, by amount: (Value) -> Int64) {
    guard count > most else { return }
    let kept = sorted { amount($0.value) > amount($1.value) }.prefix(most / 2)
    self = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
