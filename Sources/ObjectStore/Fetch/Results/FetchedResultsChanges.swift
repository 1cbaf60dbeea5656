// SPDX-License-Identifier: Apache-2.0

/// The difference between two snapshots of a fetched results controller.
///
/// Old positions count before any change, and new ones after all of them, as list views require.
public struct FetchedResultsChanges: Hashable, Sendable {
  /// A position in a list with sections.
  public typealias Position = FetchedResultsSnapshot.Position

  /// The changes of sections.
  public internal(set) var sections: [SectionChange] = []
  /// The changes of objects, including objects of inserted and deleted sections.
  public internal(set) var objects: [ObjectChange] = []

  /// A section that came or went.
  public enum SectionChange: Hashable, Sendable {
    /// At its new position.
    case insert(name: String, at: Int)
    /// At its old position.
    case delete(name: String, from: Int)
  }

  /// An object that came, went, moved or has other values.
  public enum ObjectChange: Hashable, Sendable {
    /// At its new position.
    case insert(ManagedObjectID, at: Position)
    /// From its old position.
    case delete(ManagedObjectID, from: Position)
    /// Within its section, or to another section; its values may also have changed.
    case move(ManagedObjectID, from: Position, to: Position)
    /// The id is another than before where the object was saved for the first time.
    case update(ManagedObjectID, from: Position, to: Position)
  }

  /// No change.
  public init() {}

  /// Whether nothing changed.
  public var isEmpty: Bool { sections.isEmpty && objects.isEmpty }

  /// The snapshot after the changes, from the one before them.
  public func applied(to old: FetchedResultsSnapshot) -> FetchedResultsSnapshot {
    var lists = old.sections.map { section in
      (name: section.name, ids: old.ids[section.range].map(Optional.some))
    }
    var arriving: [(at: Position, id: ManagedObjectID)] = []
    for change in objects {
      switch change {
      case .insert(let id, let at): arriving.append((at, id))
      case .delete(_, let from): lists[from.section].ids[from.item] = nil
      case .move(let id, let from, let to):
        lists[from.section].ids[from.item] = nil
        arriving.append((to, id))
      case .update(let id, let from, _): lists[from.section].ids[from.item] = id
      }
    }
    var gone: Set<Int> = []
    var coming: [(name: String, at: Int)] = []
    for change in sections {
      switch change {
      case .insert(let name, let at): coming.append((name, at))
      case .delete(_, let from): gone.insert(from)
      }
    }
    var result = lists.enumerated().filter { !gone.contains($0.offset) }
      .map { (name: $0.element.name, ids: $0.element.ids.compactMap { $0 }) }
    for (name, at) in coming.sorted(by: { $0.at < $1.at }) { result.insert((name, []), at: at) }
    for (at, id) in arriving.sorted(by: { $0.at < $1.at }) {
      result[at.section].ids.insert(id, at: at.item)
    }
    var snapshot = FetchedResultsSnapshot()
    for (name, ids) in result { for id in ids { snapshot.append(id, section: name) } }
    return snapshot
  }
}
