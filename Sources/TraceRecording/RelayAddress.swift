// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where an LTTng relay daemon takes recordings: `HOST`, `HOST:PORT` or `HOST:PORT:DATAPORT`.
public struct RelayAddress: Hashable, Sendable {
  /// A name, or an address; one of IPv6 without its brackets.
  public var host: String
  /// Of control data.
  public var port: UInt16
  /// Of trace data.
  public var dataPort: UInt16

  /// lttng-relayd's own port of control data.
  static let controlPort: UInt16 = 5342

  /// Reads an address; nil if it is none.
  public init?(_ text: String) {
    var rest = text[...]
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = String(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
    } else {
      host = String(rest.prefix { $0 != ":" })
      rest = rest.dropFirst(host.count)
    }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false).dropFirst()
    let numbers = parts.map { UInt16($0) ?? 0 }
    guard !host.isEmpty, !host.contains("/"), numbers.count <= 2, !numbers.contains(0) else {
      return nil
    }
    port = numbers.first ?? Self.controlPort
    guard numbers.count == 2 || port < .max else { return nil }
    dataPort = numbers.count == 2 ? numbers[1] : port + 1
  }

  /// For messages.
  public var title: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  /// The argument of `lttng create --set-url`.
  ///
  /// - Parameter numeric: the address of the host, so that LTTng looks up no name.
  func url(numeric: String, path: String) -> String {
    let isNew = numeric.contains(":")
    return
      "\(isNew ? "net6" : "net")://\(isNew ? "[\(numeric)]" : numeric):\(port):\(dataPort)/\(path)"
  }
}
