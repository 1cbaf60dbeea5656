// SPDX-License-Identifier: Apache-2.0

/// The prefix that a tool writes before each line of a program.
///
///     web-1  | 2026-11-21 14:12:28.633104 transit[…           docker compose, foreman
///     [pod/web-7c/app] 2026-11-21 14:12:28.633104 …           kubectl logs --prefix
///     2026-11-21T14:12:28.6331042Z 2026-11-21 14:12:28.6331…  docker logs -t, GitHub Actions
///     Nov 21 14:12:28 host transit[2367]: 2026-11-21 14:12…   journalctl, syslog
///     > 2026-11-21 14:12:28.633104 transit[…                  a quotation
///     12:2026-11-21 14:12:28.633104 transit[…                 grep -n, cat -n
///
/// Other text before a line is none: a value in another program's message must not make an event.
struct LinePrefix {
  /// The name of the container or the pod; empty where it has none.
  let name: String
  /// Whether every line of the program has it, also lines in the middle of a message.
  let isOfEachLine: Bool
  let rest: UnsafeRawBufferPointer

  /// Returns `nil` if the line begins with none.
  init?(_ line: UnsafeRawBufferPointer) {
    var cursor = ByteCursor(line)
    guard let (name, isOfEachLine) = cursor.consumeBar() ?? cursor.consumeOther() else {
      return nil
    }
    (self.name, self.isOfEachLine, rest) = (name, isOfEachLine, cursor.rest)
  }

  // Several may come together, as of docker compose logs -t. 3 is arbitrary.
  private static let maxCount = 3

  /// The prefixes of a line, the outermost first.
  static func all(of line: UnsafeRawBufferPointer) -> [LinePrefix] {
    var found: [LinePrefix] = []
    while found.count < maxCount, let next = LinePrefix(found.last?.rest ?? line) {
      found.append(next)
    }
    return found
  }

  /// A line of ours without its prefixes, and with their names before that of its process.
  ///
  /// The programs of several containers may all be `app[1`: they become `web-1/app[1`, `web-2/app[1`.
  static func split(_ line: UnsafeRawBufferPointer) -> (
    own: UnsafeRawBufferPointer, named: [UInt8]
  )? {
    let prefixes = all(of: line)
    guard let own = prefixes.last?.rest, let parsed = LogLine(own), let base = own.baseAddress,
      let process = parsed.process.baseAddress
    else { return nil }
    let names = prefixes.map(\.name).filter { !$0.isEmpty }.map { "\($0)/" }.joined()
    let head = process - base
    return (own, Array(own[..<head]) + names.utf8 + own[head...])
  }
}

extension ByteCursor {
  /// Consumes `web-1  | `, the `> ` of a quotation, an indentation, or the number of the line.
  fileprivate mutating func consumeBar() -> (String, Bool)? {
    if consume("    ") || consume("\t") || consumeLineNumber() { return ("", true) }
    if consume(">") {
      _ = consume(" ")
      return ("", true)
    }
    var ahead = self
    let name = ahead.consume(while: \.isFromContainer)
    _ = ahead.consume { $0 == UInt8(ascii: " ") }
    guard !name.isEmpty, ahead.consume("| ") else { return nil }
    self = ahead
    return (String(decoding: name, as: UTF8.self), true)
  }

  /// Consumes `12:`, `  12: `, `12. `, or `  12` and a tabulator.
  private mutating func consumeLineNumber() -> Bool {
    var ahead = self
    _ = ahead.consume { $0 == UInt8(ascii: " ") }
    guard !ahead.consume(while: \.isDigit).isEmpty,
      ahead.consume(":") || ahead.consume(". ") || ahead.consume("\t")
    else {
      return false
    }
    _ = ahead.consume(" ")
    self = ahead
    return true
  }

  /// Consumes a prefix of whole messages.
  fileprivate mutating func consumeOther() -> (String, Bool)? {
    var ahead = self
    var name = ""
    if ahead.consume("[") {
      name = String(decoding: ahead.consume(while: \.isFromContainer), as: UTF8.self)
      guard ahead.consume("] ") else { return nil }
    } else if ahead.consumeDateTime(separator: "T") != nil {
      _ = ahead.consume { $0 != UInt8(ascii: " ") }
      guard ahead.consume(" ") else { return nil }
    } else {
      // `Nov 21 14:12:28 host transit[2367]: `
      guard ahead.consumeMonthDayTime(), ahead.consumeProcess() != nil, ahead.consume(": ") else {
        return nil
      }
    }
    self = ahead
    return (name, false)
  }
}

extension UInt8 {
  fileprivate var isFromContainer: Bool {
    isNameByte || isUpper || "-./".utf8.contains(self)
  }
}
