// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The parent discarded changes while a child was saving; the child refreshes and saves again.
struct ParentDiscardedChanges: Error {}

/// Children follow the rollbacks and resets of their parents.
///
/// A parent counts them. A child compares the count before it fetches, saves or ends an event, and
/// refreshes all its objects where it has changed: a parent cannot wait for its children, which may
/// be waiting for it.
extension ManagedObjectContext {
  /// To be called before unsaved changes are discarded.
  func recordDiscard() {
    if hasChanges { discardCount.wrappingAdd(1, ordering: .releasing) }
  }

  /// The rollbacks and resets of all parents that discarded changes; may be read on any thread.
  var parentDiscards: Int {
    sumOfParents { $0.discardCount.load(ordering: .acquiring) }
  }

  func sumOfParents(_ count: (ManagedObjectContext) -> Int) -> Int {
    var sum = 0
    // Below that depth nothing is read. The time to create many nested contexts grows with their
    // number.
    var next = depth > Self.maxDepth ? nil : parent
    while let context = next {
      sum &+= count(context)
      next = context.parent
    }
    return sum
  }

  /// Refreshes all objects if a parent has discarded changes since the last time.
  ///
  /// Changes of this context stay, but references to objects that no longer exist are dropped; its
  /// undo manager removes its groups, as after its own rollback.
  func followDiscards() throws {
    guard let parent, followedDiscards != parentDiscards else { return }
    try parent.performAndWait { try parent.followDiscards() }
    try refreshAllObjects()
    undoManager?.removeAllActions()
  }

  // Each level takes about 2 kB of stack when a child reads through all its parents; threads have
  // at least 512 kB.
  static let maxDepth = 100

  func checkDepth() throws {
    guard depth > Self.maxDepth else { return }
    throw StoreError.nestedTooDeep(limit: Self.maxDepth)
  }
}
