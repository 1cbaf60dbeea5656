// SPDX-License-Identifier: Apache-2.0

/// The check in the closing line of a debug log, for the lines before it: their count, and the sum
/// of their hashes.
///
///     log closed: lines=52 status=0 check=5a0c3e17bd2f4490
///
/// Several writers of one process, such as a store and the probe, add up in any order.
public struct LogCheck: Hashable, Sendable {
  public var lines: UInt64 = 0
  public var sum: UInt64 = 0

  public init() {}

  /// Adds a line, without its line feed.
  public mutating func add(line: UnsafeRawBufferPointer) {
    lines &+= 1
    var hash = ContentHash()
    hash.add(line)
    sum &+= hash.value
  }

  public mutating func add(_ other: Self) {
    lines &+= other.lines
    sum &+= other.sum
  }

  /// The text of the closing line.
  ///
  /// - Parameter status: the exit code of the process, or nil if it goes on.
  public func closing(status: Int32?) -> String {
    let statement = "lines=\(lines)" + (status.map { " status=\($0)" } ?? "")
    return "\(Self.closingWords)\(statement) check=\(ContentHash.text(sum &+ Self.hash(statement)))"
  }

  public static let closingWords = "log closed: "

  /// Reads the text of a closing line; nil if it is damaged.
  public static func read(closing text: String) -> (check: Self, status: Int32?)? {
    guard text.hasPrefix(closingWords) else { return nil }
    let words = text.dropFirst(closingWords.count).split(separator: " ")
    guard let last = words.last, words.count == 2 || words.count == 3,
      let lines = UInt64(words[0].dropFirst("lines=".count)),
      let sum = UInt64(last.dropFirst("check=".count), radix: 16)
    else { return nil }
    let status = words.count == 3 ? Int32(words[1].dropFirst("status=".count)) : nil
    var check = Self()
    check.lines = lines
    check.sum = sum &- hash(words.dropLast().joined(separator: " "))
    // The same words again: no other spelling of the numbers is accepted.
    return check.closing(status: status) == text ? (check, status) : nil
  }

  private static func hash(_ text: String) -> UInt64 {
    var hash = ContentHash()
    hash.add(text)
    return hash.value
  }
}
