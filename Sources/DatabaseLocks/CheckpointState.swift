// SPDX-License-Identifier: Apache-2.0

/// How far the checkpoint has come, and its obstacle.
///
/// A checkpoint copies frames up to the smallest read mark that a reader holds, and nothing while a
/// reader holds mark 0, which reads the database file alone. The log begins again from its start only
/// when all frames are copied and no reader holds a mark from 1 up.
///
/// Related SQLite documentation: <https://www.sqlite.org/wal.html#ckpt>
public struct CheckpointState: Hashable, Sendable {
  /// The operation that a held read mark prevents.
  public enum Obstacle: Hashable, Sendable {
    /// No frame can be copied: a reader uses the database file without the log.
    case copiesNothing
    /// Frames after this one cannot be copied.
    case stops(slot: Int, frame: UInt32)
    /// All frames are copied; the log grows on all the same, since it is still read.
    case keepsLog(slot: Int)

    public var slot: Int {
      switch self {
      case .copiesNothing: 0
      case .stops(let slot, _), .keepsLog(let slot): slot
      }
    }
  }

  public var frames: UInt32
  public var checkpointed: UInt32
  public var obstacle: Obstacle?

  init(_ index: WALIndex, _ readers: [LockState.Reader]) {
    frames = index.frames
    checkpointed = index.checkpointed
    let slots = Set(readers.compactMap(\.slot))
    obstacle = Self.obstacle(index, slots)
  }

  private static func obstacle(_ index: WALIndex, _ slots: Set<Int>) -> Obstacle? {
    guard index.frames > 0 else { return nil }
    if slots.contains(0), index.checkpointed < index.frames { return .copiesNothing }
    let marks = slots.filter { $0 > 0 }.sorted().compactMap { slot in
      index.readMarks[slot].map { (slot: slot, frame: $0) }
    }
    guard let smallest = marks.min(by: { $0.frame < $1.frame }) else { return nil }
    if smallest.frame < index.frames { return .stops(slot: smallest.slot, frame: smallest.frame) }
    return index.checkpointed == index.frames ? .keepsLog(slot: smallest.slot) : nil
  }
}
