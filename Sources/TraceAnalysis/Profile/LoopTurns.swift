// SPDX-License-Identifier: Apache-2.0

/// The lists that a line had values of, where its loops take turns, as those of tasks on one thread.
///
///     list 7 · list 8 · list 9 · list 7 · list 8 · …
struct LoopTurns<List: Equatable> {
  // Arbitrary: the tasks that are in a loop at the same time.
  private static var maxLists: Int { 64 }

  private var lists: [List] = []
  /// How many of the last ones are of loops that take turns.
  private var sharedCount = 0
  private var position = 0

  var shared: ArraySlice<List> { lists.suffix(sharedCount) }

  /// Adds the list of a run; the line had values of another one before.
  mutating func add(_ list: List, after last: List) {
    if lists.isEmpty { lists.append(last) }
    if let index = lists.firstIndex(of: list) {
      sharedCount = max(sharedCount, lists.count - index)
      return
    }
    if lists.count == Self.maxLists { lists.removeFirst() }
    lists.append(list)
    sharedCount = sharedCount == 0 ? 0 : min(sharedCount + 1, lists.count)
  }

  /// The list of the loop whose turn it is, of those with room for another run.
  mutating func next(where hasRoom: (List) -> Bool) -> List? {
    for _ in 0..<sharedCount {
      position = (position + 1) % sharedCount
      let list = lists[lists.count - sharedCount + position]
      if hasRoom(list) { return list }
    }
    return nil
  }
}
