// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TransitModel

/// The output of a search: the rows, then their cost.
struct SearchReport {
  let result: SearchResult

  init(_ result: SearchResult) { self.result = result }

  var text: String { ([title] + rows + [cost, ""]).joined(separator: "\n") }

  private var rows: [String] {
    guard case .named = result.search else { return result.found.map(row) }
    // Sorted by name: the poles of a station come one after the other, and make one line.
    return result.found.namesWithCounts.map { name, count in
      // Names come from the feed: their control characters must not reach the terminal.
      "  \(LogText.escaped(name))" + (count > 1 ? "  (\(count) stops)" : "")
    }
  }

  private var title: String {
    let count = result.found.count == 1 ? "1 stop" : "\(result.found.count) stops"
    return switch result.search {
    case .nearby(let area): "\(count) \(place(area))"
    case .departures(let area, let clock, let minutes):
      "\(count) \(place(area)) with a departure in the \(minutes) minutes from \(clock.clock)"
    case .named(let text, let form): "\(count) \(condition(form)) \(LogText.quoted(text))"
    }
  }

  private func condition(_ form: TextForm?) -> String {
    switch form {
    case nil, .begins, .normalized: "with a name that begins with"
    case .terms: "with words in the name that begin with those of"
    case .contains: "with a name that contains"
    }
  }

  private func place(_ area: StopSearch.Area) -> String {
    "within \(area.radius.digits(0)) m of \(area.center.latitude.digits(6)), "
      + area.center.longitude.digits(6)
  }

  private func row(_ stop: FoundStop) -> String {
    let metres = (stop.distance ?? 0).digits(0)
    let padding = String(repeating: " ", count: max(0, 6 - metres.count))
    let times = (result.departures[stop.objectID] ?? []).map(\.clock)
    let more = times.count > 5 ? " and \(times.count - 5) more" : ""
    let departures = times.isEmpty ? "" : "  " + times.prefix(5).joined(separator: " ") + more
    return "\(padding)\(metres) m  \(LogText.escaped(stop.name))\(departures)"
  }

  /// The version, or the form of a text search where one was requested.
  private var way: String {
    if case .named(_, let form?) = result.search { return form.rawValue }
    return result.version.rawValue
  }

  private var cost: String {
    let durations = result.durations
    let fetches =
      durations.count == 1
      ? "fetched in \(durations[0].milliseconds)"
      : "fetched \(durations.count) times, median \(durations[durations.count / 2].milliseconds), "
        + "fastest \(durations[0].milliseconds)"
    let limit = result.rowCount == StopSearch.limit ? ", the limit: there may be more" : ""
    return "\(way): \(result.rowCount) rows\(limit), \(fetches)"
  }
}

extension [FoundStop] {
  /// Each name with how many stops in a row have it.
  fileprivate var namesWithCounts: [(name: String, count: Int)] {
    reduce(into: []) { names, stop in
      if names.last?.name == stop.name {
        names[names.count - 1].count += 1
      } else {
        names.append((stop.name, 1))
      }
    }
  }
}

extension Double {
  /// The number with a fixed number of digits after the point.
  func digits(_ count: Int) -> String {
    let scale = (0..<count).reduce(1.0) { scale, _ in scale * 10 }
    let whole = Int((magnitude * scale).rounded())
    let sign = self < 0 && whole > 0 ? "-" : ""
    let digits = String(whole)
    guard count > 0 else { return sign + digits }
    let padded = String(repeating: "0", count: max(0, count + 1 - digits.count)) + digits
    return sign + padded.dropLast(count) + "." + padded.suffix(count)
  }
}

extension Duration {
  /// `0.412 ms`.
  var milliseconds: String {
    let nanoseconds = Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
    return (nanoseconds / 1e6).digits(3) + " ms"
  }
}
