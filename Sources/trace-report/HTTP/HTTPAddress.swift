// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// `http://host:port/path`, without TLS, which the tool does not implement.
struct HTTPAddress: Hashable {
  var host: String
  var port: UInt16
  /// With a leading slash and without a trailing one; "" for the root.
  var path: String

  enum Problem: Error, Hashable {
    case encrypted
    case malformed
  }

  init(_ text: String) throws(Problem) {
    guard !text.lowercased().hasPrefix("https://") else { throw .encrypted }
    guard text.lowercased().hasPrefix("http://") else { throw .malformed }
    let rest = text.dropFirst("http://".count)
    let authority = rest.prefix { $0 != "/" }
    var path = rest.dropFirst(authority.count)
    while path.last == "/" { path.removeLast() }
    guard !rest.contains(where: { $0 == "?" || $0 == "#" || $0.isWhitespace || $0 == "@" }),
      rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
      let place = Self.split(authority, defaultPort: 80)
    else { throw .malformed }
    (host, port) = place
    self.path = String(path)
  }

  /// `127.0.0.1:9464`, `[::1]:9464`, `localhost`.
  static func split(
    _ text: some StringProtocol, defaultPort: UInt16?
  ) -> (host: String, port: UInt16)? {
    var host = Substring(text)
    var port = defaultPort
    let isBracketed = host.hasPrefix("[")
    if let colon = host.lastIndex(of: ":"), !isBracketed || host[..<colon].hasSuffix("]") {
      port = UInt16(host[host.index(after: colon)...])
      host = host[..<colon]
    }
    if isBracketed {
      guard host.hasSuffix("]") else { return nil }
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, let port else { return nil }
    return (String(host), port)
  }

  /// The value of the header `Host`.
  var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  func appending(_ part: String) -> Self {
    var address = self
    address.path += part
    return address
  }
}
