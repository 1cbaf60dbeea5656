// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

/// The two ways to get the same list: naive and optimized.
public enum Version: String, Hashable, Sendable, CaseIterable {
  /// Sorted by the value, in the order of a language.
  case before
  /// Sorted by the index value, in the order that an index has.
  case after

  var order: ObjectStore.SortDescriptor<Record> {
    switch self {
    case .before: ObjectStore.SortDescriptor(\.text, comparator: .localizedCaseInsensitive)
    case .after: ObjectStore.SortDescriptor(\.indexValue)
    }
  }
}

/// All records in order, in sections, and how long it took to fetch them.
public struct RecordList: Sendable {
  /// Values under the letter that they begin with.
  public struct Section: Sendable {
    /// A letter; `#` for what begins with none.
    public let initial: String
    /// The names, in order.
    public fileprivate(set) var values: [String]
  }

  /// The version of the fetch.
  public let version: Version
  /// The sections, in order.
  public let sections: [Section]
  /// The fetches, fastest first.
  public let times: [FetchTime]
}

extension RecordStore {
  /// Fetches the list some times over, each in a context without objects.
  ///
  /// - Throws: `StoreError`.
  public func list(_ version: Version, times count: Int = 1) throws -> RecordList {
    var request = FetchRequest<Record>()
    request.sortDescriptors = [version.order]
    request.returnsObjectsAsFaults = false
    var values: [String] = []
    var times: [FetchTime] = []
    for _ in 0..<count {
      let context = container.newBackgroundContext()
      values = try context.performAndWait { try context.fetch(request).map(\.text) }
      if let time = timer.takeLast() { times.append(time) }
    }
    return RecordList(
      version: version, sections: RecordList.sections(of: values),
      times: times.sorted { $0.total < $1.total })
  }
}

extension RecordList {
  /// Values that are in order already, each under its initial.
  static func sections(of values: [String]) -> [Section] {
    let initials = Initials()
    var sections: [Section] = []
    for value in values {
      let initial = initials.initial(of: value)
      if sections.last?.initial != initial {
        sections.append(Section(initial: initial, values: []))
      }
      sections[sections.count - 1].values.append(value)
    }
    return sections
  }
}

/// The letter that a value is listed under; the order defines it: Ø is listed under O.
private struct Initials {
  private let letters: [(letter: String, key: Data)]

  init() {
    letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map {
      let letter = String(UnicodeScalar($0))
      return (letter, letter.listSortKey)
    }
  }

  func initial(of value: String) -> String {
    guard let first = value.first(where: \.isLetter) else { return "#" }
    // Letters of other scripts come after Z, each in its own section.
    guard let scalar = first.unicodeScalars.first, scalar.value < 0x370 || scalar.value > 0x1DFF
    else { return first.uppercased() }
    let key = String(value.drop { !$0.isLetter }).listSortKey
    let last = letters.last { $0.key.lexicographicallyPrecedes(key) || $0.key == key }
    return last?.letter ?? "#"
  }
}
