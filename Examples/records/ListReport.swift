// SPDX-License-Identifier: Apache-2.0

import RecordsModel
import StoreEvents

/// The output of a list: its sections, then the two times of the fetch as in the debug log.
struct ListReport {
  let list: RecordList
  let showsAll: Bool

  init(_ list: RecordList, showsAll: Bool) {
    self.list = list
    self.showsAll = showsAll
  }

  var text: String { (sections + times).joined(separator: "\n") }

  private var sections: [String] { list.sections.flatMap(lines) }

  private func lines(of section: RecordList.Section) -> [String] {
    let count = String(section.values.count)
    let padding = String(repeating: " ", count: max(0, 5 - count.count))
    let head = section.initial + padding + count
    // Values come from the store: a control character in one must not reach the terminal.
    let values = section.values.map { LogText.escaped($0) }
    if showsAll { return [head] + values.map { "        " + $0 } }
    return [
      head + "  " + values.prefix(2).joined(separator: "; ") + (values.count > 2 ? "; …" : "")
    ]
  }

  private var times: [String] {
    guard !list.times.isEmpty else { return [] }
    let time = list.times[list.times.count / 2]
    let way = list.times.count == 1 ? "" : " (median of \(list.times.count))"
    return [
      "\(list.version.rawValue): sql connection fetch time: \(time.connection.seconds)s",
      "\(list.version.rawValue): total fetch execution time: \(time.total.seconds)s for "
        + "\(time.rows) rows.\(way)",
    ]
  }
}

extension Duration {
  /// `0.001304`, as in the log.
  fileprivate var seconds: String {
    let microseconds =
      components.seconds * 1_000_000 + (components.attoseconds + 500_000_000_000)
      / 1_000_000_000_000
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000)."
      + String(repeating: "0", count: 6 - fraction.count) + fraction
  }
}
