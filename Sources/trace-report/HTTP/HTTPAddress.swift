// SPDX-License-Identifier: Apache-2.0

/// An address that `serve` listens at, and the one that a client names in `Host`.
enum HTTPAddress {
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
}

/// Finds the end of the head of a message.
enum HTTPHead {
  /// The index after the empty line; nil while it is missing.
  static func end(of bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (4...bytes.count).first {
      bytes[$0 - 4] == 0x0d && bytes[$0 - 3] == 0x0a && bytes[$0 - 2] == 0x0d
        && bytes[$0 - 1] == 0x0a
    }
  }
}
