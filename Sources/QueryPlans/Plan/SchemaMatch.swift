// SPDX-License-Identifier: Apache-2.0

/// Whether statements are of the database that they are explained against.
public struct SchemaMatch: Hashable, Sendable {
  /// The number of statements that were explained.
  public private(set) var statements = 0
  /// The number of statements that do not compile, for any reason.
  public private(set) var failures = 0
  /// The number of statements that name a table or a column that the database does not have.
  public private(set) var strangers = 0
  /// SQLite's message for the first missing name, otherwise for the first failure: `no such table:
  /// ZSTOP`.
  public var reason: String? { firstMissing ?? firstFailure }

  private var firstMissing: String?
  private var firstFailure: String?

  public init(_ explanations: some Sequence<PlanExplainer.Explanation> = []) {
    for explanation in explanations { add(explanation) }
  }

  /// Counts a statement.
  public mutating func add(_ explanation: PlanExplainer.Explanation) {
    // A statement without a plan was not compiled, and one of an earlier schema proves nothing.
    guard explanation.verdict != .noPlan, !explanation.isOfEarlierSchema else { return }
    add(failure: explanation.failure)
  }

  /// Counts a statement that does not compile, or one that does: nil.
  mutating func add(failure: String?) {
    statements += 1
    guard let failure else { return }
    failures += 1
    firstFailure = firstFailure ?? failure
    guard Self.isFromSchema(failure) else { return }
    strangers += 1
    firstMissing = firstMissing ?? failure
  }

  /// Whether the database belongs to another program or another version: no statement compiles, or most do not, since
  /// they name tables or columns that it does not have.
  public var isOtherDatabase: Bool {
    strangers > 0 && (failures == statements || strangers * 2 > statements)
  }

  /// The error for a wrong database, from its description and ``reason``, with advice.
  public func sentence(database: String, reason: String) -> String {
    let compiled = statements - failures
    let subject =
      compiled == 0
      ? statements == 1
        ? "the statement does not compile" : "none of the \(statements) statements compiles"
      : "only \(compiled) of \(statements) statements \(compiled == 1 ? "compiles" : "compile")"
    return "\(subject) against \(database) (\(reason)); pass the store that was traced, or a "
      + "copy of it"
  }

  static func isFromSchema(_ message: String) -> Bool {
    message.hasPrefix("no such table: ") || message.hasPrefix("no such column: ")
      || message.contains(" has no column named ")
  }
}
