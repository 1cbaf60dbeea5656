// SPDX-License-Identifier: Apache-2.0

/// Reads `ATTACH DATABASE 'path' AS name`.
public enum AttachedDatabase {
  /// - Returns: nil for another statement, and for a path that is bound.
  public static func parse(_ sql: String) -> (path: String, name: String)? {
    var tokens = SQLTokenizer.tokens(of: sql)[...]
    guard tokens.popFirst()?.isWord("ATTACH") == true else { return nil }
    if tokens.first?.isWord("DATABASE") == true { tokens = tokens.dropFirst() }
    guard tokens.count >= 3, let first = tokens.first,
      first.kind == .text || first.kind == .quotedName,
      let path = first.name, tokens.dropFirst().first?.isWord("AS") == true,
      let name = tokens.dropFirst(2).first?.name
    else { return nil }
    return (path, name)
  }
}
