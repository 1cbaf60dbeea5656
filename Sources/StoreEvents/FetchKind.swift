// SPDX-License-Identifier: Apache-2.0

/// The kind of result that a fetch requests.
public enum FetchKind: String, CaseIterable, Hashable, Sendable, Codable {
  case objects, ids, dictionaries, count, prefetch, batch

  @inlinable
  init(field: StaticString, _ value: String) throws(EventFieldError) {
    // Not `init(rawValue:)`, which searches a table of cases: 200 instructions, for each event.
    switch value {
    case "objects": self = .objects
    case "ids": self = .ids
    case "dictionaries": self = .dictionaries
    case "count": self = .count
    case "prefetch": self = .prefetch
    case "batch": self = .batch
    default: throw .malformed(field: "\(field)", value: value)
    }
  }
}

/// Where a fault found its values.
public enum FaultSource: String, CaseIterable, Hashable, Sendable {
  case rowCache = "row cache"
  case database

  @inlinable
  init(field: StaticString, _ value: String) throws(EventFieldError) {
    // Not `init(rawValue:)`, as in `FetchKind`.
    switch value {
    case "row cache": self = .rowCache
    case "database": self = .database
    default: throw .malformed(field: "\(field)", value: value)
    }
  }
}
