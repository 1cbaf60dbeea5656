// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Loops by their two statements, in bounded memory.
struct LoopTable<Site: Hashable, Loop> {
  struct Key: Hashable {
    var parent: Site
    var child: Site
  }

  private(set) var loops: [Key: Loop] = [:]

  // Arbitrary: a report lists a few of them.
  private static var maxLoops: Int { 1000 }

  /// Changes the loop of two statements, which is made if there is room.
  mutating func update(
    _ parent: Site, _ child: Site, from new: @autoclosure () -> Loop,
    _ change: (inout Loop) -> Void
  ) {
    let key = Key(parent: parent, child: child)
    guard loops.count < Self.maxLoops || loops[key] != nil else { return }
    change(&loops[key, default: new()])
  }
}
