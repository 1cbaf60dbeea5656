// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// JSON as every command prints it: keys sorted, indented, with a newline at the end, and without
/// characters that move a terminal's cursor or change the direction of text.
public enum JSONText {
  /// Writes a value.
  public static func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return text(try encoder.encode(value))
  }

  /// Writes a value into one line, which ends in a newline.
  public static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return text(try encoder.encode(value))
  }

  private static func text(_ data: Data) -> String {
    String(decoding: data, as: UTF8.self).withEscapedControls + "\n"
  }
}
