// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The JSON of `log show` and `log stream`, with the styles `json` and `ndjson`, and of log collectors.
///
///     {"timestamp":"2026-01-02 10:00:00.123456+0100","threadID":6699,"processID":4711,
///      "processImagePath":"\/Applications\/App","eventMessage":"CoreData: sql: SELECT …",…}
///     {"log":"CoreData: sql: SELECT …\n","stream":"stderr","time":"2026-01-02T10:00:00.123456Z"}
///
/// become the lines
///
///     2026-01-02 10:00:00.123456+0100 App[4711:6699] CoreData: sql: SELECT …
///     2026-01-02T10:00:00.123456Z CoreData: sql: SELECT …
struct UnifiedLogConversion: TextConversion {
  private struct Message: Decodable {
    var texts: [String: String] = [:]
    var processID: Int64?
    var threadID: Int64?

    private struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    /// Reads the texts of an object, and of the objects within it.
    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: Key.self)
      for key in fields.allKeys {
        if let text = try? fields.decode(String.self, forKey: key) {
          texts[key.stringValue] = text
        } else if let inner = try? fields.decode(Message.self, forKey: key) {
          texts.merge(inner.texts) { own, _ in own }
        }
      }
      processID = try? fields.decodeIfPresent(
        Int64.self, forKey: Key(stringValue: "processID"))
      threadID = try? fields.decodeIfPresent(Int64.self, forKey: Key(stringValue: "threadID"))
    }

    func first(of names: [String]) -> String? { names.lazy.compactMap { texts[$0] }.first }
  }

  private static let textNames = [
    "eventMessage", "message", "log", "msg", "textPayload", "MESSAGE",
  ]
  private static let timeNames = ["timestamp", "@timestamp", "time", "date", "ts"]

  private enum State { case between, object, text }

  private var state = State.between
  private var object: [UInt8] = []
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  // 16 MiB is arbitrary: a message has at most 32 KiB.
  private static let maxObject = 16 << 20

  /// Whether a text begins with such an object, perhaps behind a line of `log stream`.
  static func isNeeded(head: [UInt8]) -> Bool {
    let head = String(decoding: head, as: UTF8.self)
    // A line of `log stream` is before the first object.
    let begins = head.prefixMatch(of: #/\s*(Filtering the log data[^\n]*\s*)?(\[\s*)?\{/#) != nil
    guard begins else { return false }
    if head.contains(
      #/"(eventMessage|message|log|msg|textPayload|MESSAGE)"\s*:\s*"[^"]*(CoreData|\] ObjectStore): /#
    ) {
      return true
    }
    return ["\"eventMessage\"", "\"traceID\"", "\"processImagePath\"", "\"machTimestamp\""]
      .contains { head.contains($0) }
  }

  mutating func convert(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
    var lines: [UInt8] = []
    for byte in bytes { read(byte, &lines) }
    // A message without its end.
    if isLast { lines += object }
    return lines
  }

  private mutating func read(_ byte: UInt8, _ lines: inout [UInt8]) {
    switch state {
    case .between:
      if byte == UInt8(ascii: "{") {
        state = .object
        readObject(byte, &lines)
      } else if !" \t\r\n,[]".utf8.contains(byte) {
        state = .text
        lines.append(byte)
      }
    case .text:
      lines.append(byte)
      if byte == UInt8(ascii: "\n") { state = .between }
    case .object: readObject(byte, &lines)
    }
  }

  private mutating func readObject(_ byte: UInt8, _ lines: inout [UInt8]) {
    object.append(byte)
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
    } else {
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"): depth -= 1
      default: break
      }
    }
    guard depth == 0 || object.count > Self.maxObject else { return }
    lines += line(of: object) + [UInt8(ascii: "\n")]
    (state, object, depth, isInString, isEscaped) = (.between, [], 0, false, false)
  }

  /// The line of a message; an object that is not a message stays as it is, and is counted as not
  /// recognized.
  private func line(of object: [UInt8]) -> [UInt8] {
    guard let message = try? BoundedJSON.decode(Message.self, from: Data(object)),
      var text = message.first(of: Self.textNames)
    else { return object.filter { $0 != UInt8(ascii: "\n") } }
    if text.last?.isNewline == true { text.removeLast() }
    let time = message.first(of: Self.timeNames).map { $0 + " " } ?? ""
    guard let path = message.texts["processImagePath"], !time.isEmpty else {
      return Array((time + text).utf8)
    }
    let name = path.split(separator: "/").last ?? ""
    let process = "\(name)[\(message.processID ?? 0):\(message.threadID ?? 0)]"
    return Array("\(time)\(process) \(text)".utf8)
  }
}
