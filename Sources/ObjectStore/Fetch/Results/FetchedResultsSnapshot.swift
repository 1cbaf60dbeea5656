// SPDX-License-Identifier: Apache-2.0

/// The objects of a fetched results controller at one moment, in order and in sections.
///
/// A value of ids: comparing, keeping or passing it to another thread loads nothing.
public struct FetchedResultsSnapshot: RandomAccessCollection, Hashable, Sendable {
  var ids: [ManagedObjectID] = []
  /// In order; no section is empty.
  public internal(set) var sections: [Section] = []

  /// Objects that belong together, one after the other.
  public struct Section: Hashable, Sendable {
    /// The value at the section key path, as text; "" for nil and without sections.
    public var name: String
    /// The indexes of its objects in the snapshot.
    public var range: Range<Int>
  }

  /// A position in a list with sections.
  public struct Position: Hashable, Comparable, Sendable {
    /// From 0.
    public var section: Int
    /// Within the section, from 0.
    public var item: Int

    /// The position of an item.
    public init(section: Int, item: Int) {
      self.section = section
      self.item = item
    }

    /// By section, then by item.
    public static func < (a: Self, b: Self) -> Bool {
      (a.section, a.item) < (b.section, b.item)
    }
  }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of objects.
  public var endIndex: Int { ids.count }
  /// The id of the object at an index.
  public subscript(position: Int) -> ManagedObjectID { ids[position] }
  /// The id of the object at a position in a section.
  public subscript(position: Position) -> ManagedObjectID { ids[index(of: position)] }

  /// The index in the snapshot of a position in a section.
  public func index(of position: Position) -> Int {
    let range = sections[position.section].range
    require(position.item >= 0 && position.item < range.count, "item of section")
    return range.lowerBound + position.item
  }

  /// The position in its section of an index in the snapshot.
  public func position(of index: Int) -> Position {
    let section = sectionIndex(of: index)
    return Position(section: section, item: index - sections[section].range.lowerBound)
  }

  private func sectionIndex(of index: Int) -> Int {
    require(indices.contains(index), "place \(index) of \(count) fetched results")
    return sections.indices.partitioningIndex { sections[$0].range.upperBound > index }
  }

  /// Adds an object at the end, to the last section if that has its name.
  mutating func append(_ id: ManagedObjectID, section name: String) {
    let index = ids.count
    ids.append(id)
    if sections.last?.name == name {
      sections[sections.count - 1].range = sections[sections.count - 1].range.lowerBound..<index + 1
    } else {
      sections.append(Section(name: name, range: index..<index + 1))
    }
  }
}
