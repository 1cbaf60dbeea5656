// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import StoreEvents
import TraceAnalysis

/// The folder of a row: its table, its day and its host.
///
///     events/date=2026-11-22/host=kiosk-7
public struct RowPartition: Hashable, Sendable {
  public var table: String
  public var date: String
  public var host: String

  /// A relative path; characters of a host's name that would change it are written as `%2F`.
  public var path: String {
    let isHidden = host.hasPrefix(".")
    let name = host.utf8.map { byte -> String in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
        || (0x61...0x7a).contains(byte) || byte == 0x2d || byte == 0x5f
        || (byte == 0x2e && !isHidden)
      guard !isPlain else { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
    // A file's name has at most 255 bytes.
    // As Hive, Spark and DuckDB name the partition of NULL.
    let day = date.isEmpty ? "__HIVE_DEFAULT_PARTITION__" : date
    return "\(table)/date=\(day)/host=\(name.isEmpty ? "unknown" : String(name.prefix(200)))"
  }
}

/// Days in UTC.
struct RowDate {
  private var day: Int64?
  private var text = ""

  /// `2026-11-22`; the day of the timestamp before is not computed again.
  mutating func text(_ timestamp: Nanoseconds) -> String {
    let day = Int64((Double(timestamp) / 86_400e9).rounded(.down))
    if self.day == day { return text }
    self.day = day
    // The inverse of the days of the civil calendar, see
    // <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>.
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let date = dayOfYear - (153 * month + 2) / 5 + 1
    let civilMonth = month < 10 ? month + 3 : month - 9
    let civilYear = year + era * 400 + (civilMonth <= 2 ? 1 : 0)
    func pad(_ number: Int64, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    text = "\(pad(civilYear, 4))-\(pad(civilMonth, 2))-\(pad(date, 2))"
    return text
  }
}

/// The columns that an input has, each list computed once.
struct RowMeasures {
  private var texts: [Measures: String] = [:]

  private let names: [(Measures, String)]

  private static let ofBoth: [(Measures, String)] =
    [
      (.waitTime, "wait_ns"), (.stepTime, "step_ns"), (.rows, "rows"), (.changes, "changes"),
    ] + WorkMetric.counters.map { ($0.measure, $0.column) }
  static let ofEvents = [(.timeOfDay, "time_ns"), (.totalTime, "duration_ns")] + ofBoth
  static let ofSums =
    ofBoth + [(.cacheMisses, "cache_misses"), (.totalTime, "total_ns"), (.totalTime, "max_ns")]

  init(names: [(Measures, String)]) { self.names = names }

  mutating func columns(of measures: Measures) -> String {
    if let known = texts[measures] { return known }
    let text = names.filter { measures.contains($0.0) }.map(\.1).joined(separator: ",")
    texts[measures] = text
    return text
  }
}

/// Labels as JSON, each computed once.
struct RowLabels {
  private var texts: [[String: String]: String] = [:]

  mutating func text(_ labels: [String: String]) -> String {
    if let known = texts[labels] { return known }
    let text =
      "{"
      + labels.filter { $0.key != "version" }.sorted { $0.key < $1.key }
      .map { "\(JSONWriter.quoted($0.key)):\(JSONWriter.quoted($0.value))" }.joined(separator: ",")
      + "}"
    if texts.count < 1000 { texts[labels] = text }
    return text
  }
}
