// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import StoreEvents
public import TraceAnalysis

/// The events that a report includes.
struct Filters: ParsableArguments {
  @Option(help: "Only events from this time on: 2s or 500ms after the first event, or a UTC time.")
  var since: TracePointArgument?

  @Option(help: "Only events before this time: 2s after the first event, or a UTC time.")
  var until: TracePointArgument?

  @Option(help: "Only fetches and faults of an entity.")
  var entity: String?

  @Option(help: "Only events caused by a line, a file or a module: Search.swift:42, Search.swift.")
  var caller: String?

  @Option(help: "Only fetches, faults and saves that took at least this long: 5ms.")
  var minDuration: DurationArgument?

  /// The options as they were typed.
  var words: [String] {
    NextCommand.option("since", since?.text) + NextCommand.option("until", until?.text)
      + NextCommand.option("entity", entity) + NextCommand.option("caller", caller)
      + NextCommand.option("min-duration", minDuration?.text)
  }

  var value: EventFilter {
    var filter = EventFilter()
    filter.since = since?.point
    filter.until = until?.point
    filter.entity = entity
    filter.caller = caller
    filter.minimumDuration = minDuration?.nanoseconds ?? 0
    return filter
  }
}

/// `1.5s`, `200ms`, `20us`, `3m`; a number alone is seconds.
struct DurationArgument: ExpressibleByArgument {
  var nanoseconds: Nanoseconds
  /// As it was typed.
  let text: String

  init?(argument: String) {
    text = argument
    let units = [
      ("ms", 1e6), ("us", 1e3), ("µs", 1e3), ("ns", 1.0), ("s", 1e9), ("m", 6e10), ("h", 3.6e12),
    ]
    let unit = units.first { argument.hasSuffix($0.0) } ?? ("", 1e9)
    guard let number = Double(argument.dropLast(unit.0.count)), number >= 0,
      let nanoseconds = Int64(exactly: (number * unit.1).rounded())
    else { return nil }
    self.nanoseconds = nanoseconds
  }
}

/// A duration since the first event, or `2026-11-21T14:12:28` in UTC.
struct TracePointArgument: ExpressibleByArgument {
  var point: TracePoint
  /// As it was typed.
  let text: String

  init?(argument: String) {
    text = argument
    if let time = TracePoint(utc: argument) {
      point = time
    } else if let duration = DurationArgument(argument: argument) {
      point = .afterStart(duration.nanoseconds)
    } else {
      return nil
    }
  }
}

extension Grouping: ExpressibleByArgument {}
