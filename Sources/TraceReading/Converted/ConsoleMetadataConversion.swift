// SPDX-License-Identifier: Apache-2.0

/// A console's text in which a line of metadata follows each message.
///
///     CoreData: sql: SELECT …
///     Type: Default | Timestamp: 2026-01-02 10:00:00.123456+01:00 | Process: App | TID: 0x1a2b
///
/// becomes the line
///
///     2026-01-02 10:00:00.123456+01:00 App[0:6699] CoreData: sql: SELECT …
struct ConsoleMetadataConversion: TextConversion {
  private var line: [UInt8] = []
  /// The lines since the last line of metadata.
  private var message: [UInt8] = []

  // 16 MiB is arbitrary: a message has at most 32 KiB.
  private static let maxMessage = 16 << 20

  /// Whether a text has such a line near its beginning.
  static func isNeeded(head: [UInt8]) -> Bool {
    head.split(separator: UInt8(ascii: "\n")).contains { Self.head(of: $0) != nil }
  }

  mutating func convert(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
    var lines: [UInt8] = []
    for byte in bytes {
      line.append(byte)
      if byte == UInt8(ascii: "\n") || line.count > Self.maxMessage { end(&lines) }
    }
    if isLast {
      end(&lines)
      lines += message
      message = []
    }
    return lines
  }

  /// Ends a line: with one of metadata the message before it is complete.
  private mutating func end(_ lines: inout [UInt8]) {
    if let head = Self.head(of: line[...]) {
      // Lines before a message's line continue the message before it, which has a complete line of
      // its own.
      let rest = message[..<startOfMessage]
      lines += rest
      if rest.count < message.count { lines += Array(head.utf8) + message[rest.count...] }
      message = []
    } else {
      message += line
      if message.count > Self.maxMessage {
        lines += message
        message = []
      }
    }
    line = []
  }

  /// The beginning of the line with `CoreData: `; that of the first line, where none has it.
  private var startOfMessage: Int {
    let mark = Array("CoreData: ".utf8)
    return message.indices.first { index in
      (index == 0 || message[index - 1] == UInt8(ascii: "\n"))
        && message[index...].starts(with: mark)
    } ?? 0
  }

  /// The metadata before the message; nil for a line without metadata.
  private static func head(of line: ArraySlice<UInt8>) -> String? {
    guard line.starts(with: "Type: ".utf8) || line.starts(with: "Timestamp: ".utf8) else {
      return nil
    }
    let text = String(decoding: line, as: UTF8.self)
    let fields = text.split(separator: "|").map { field in
      field.split(separator: ":", maxSplits: 1).map { $0.trimmed }
    }
    func value(_ name: String) -> Substring? {
      fields.first { $0.first == name[...] && $0.count == 2 }?[1]
    }
    guard fields.count > 2, let time = value("Timestamp"), value("Category") ?? value("TID") != nil
    else { return nil }
    let thread = value("TID").flatMap { text in
      text.hasPrefix("0x") ? Int64(text.dropFirst(2), radix: 16) : Int64(text)
    }
    let process = value("Process").map { name in name.prefix { $0 != "[" && $0 != ":" } } ?? "app"
    let id = value("PID").flatMap { Int64($0) } ?? 0
    return "\(time) \(process)[\(id):\(thread ?? 0)] "
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let text = drop(while: \.isWhitespace)
    return text.lastIndex { !$0.isWhitespace }.map { text[...$0] } ?? ""
  }
}
