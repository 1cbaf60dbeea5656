// SPDX-License-Identifier: Apache-2.0

/// How a text report looks: its width, and whether it has colours.
public struct TextStyle: Hashable, Sendable {
  /// In columns; nil neither cuts nor wraps, for a pipe.
  public var width: Int?
  public var isColored: Bool

  public static let plain = TextStyle(width: nil, isColored: false)

  public init(width: Int?, isColored: Bool) {
    // 20 is arbitrary: a number with its name and its unit; on less the terminal wraps.
    self.width = width.map { max($0, 20) }
    self.isColored = isColored
  }

  /// SGR codes of ECMA-48.
  enum Ink: String {
    case bold = "1"
    case faint = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
  }

  func paint(_ text: String, _ ink: Ink?) -> String {
    guard isColored, let ink, !text.isEmpty else { return text }
    return "\u{1b}[\(ink.rawValue)m\(text)\u{1b}[0m"
  }
}
