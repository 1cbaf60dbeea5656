// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The function of a line of code that ran statements.
public struct CallerFunction: Hashable, Sendable, Codable {
  /// The line.
  public var location: SourceLocation
  /// Its function, such as `Shop.books`; "" without one.
  public var function: String
  /// The program's helper that ran them for the line, such as `db.py:5`; nil without one.
  public var helper: String?

  /// The name of a function without its interpreter's additions.
  ///
  ///     Shop.books.<locals>.<listcomp>   Shop.books    Python; since 3.12 a comprehension has no frame
  ///     block (2 levels) in Shop#books   Shop#books    Ruby
  ///     shop::books::h0123456789abcdef   shop::books   Rust, with a hash that changes with each
  ///     build
  static func normalized(_ name: String) -> String {
    var name = name[...]
    if let block = name.ranges(of: " in ").last { name = name[block.upperBound...] }
    let hash = name.split(separator: "::h", omittingEmptySubsequences: false).last ?? ""
    if hash.utf8.count == 16, hash.utf8.count < name.utf8.count, hash.allSatisfy(\.isHexDigit) {
      name = name.dropLast(hash.utf8.count + "::h".utf8.count)
    }
    guard name.contains("<") else { return String(name) }
    let anonymous: Set<Substring> = [
      "<locals>", "<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>",
    ]
    return name.split(separator: ".").filter { !anonymous.contains($0) }.joined(separator: ".")
  }

  /// Whether two names may be of one function: Python before 3.11 and Ruby before 3.4 leave out the class.
  static func isSame(_ one: String, _ other: String) -> Bool {
    one == other
      || [".", "#"].contains { one.hasSuffix($0 + other) || other.hasSuffix($0 + one) }
  }
}
