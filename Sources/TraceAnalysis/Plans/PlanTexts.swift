// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
public import TraceReading

/// The plans of inputs that are texts, such as the output of `EXPLAIN QUERY PLAN`.
public enum PlanTexts {
  /// The plans of an input; nil if it is a trace, a log or a saved report, or has no plan.
  ///
  /// - Throws: `TraceReadingError` if the input does not exist, or cannot be opened.
  public static func listings(
    in path: String
  ) throws(TraceReadingError) -> [PlanTranscript.Listing]? {
    guard let text = try InputContent.plainText(path: path) else { return nil }
    // Most other text has none of these words, and is not searched line by line.
    guard ["SCAN", "SEARCH", "SUBQUER", "B-TREE", "CONSTANT"].contains(where: text.contains) else {
      return nil
    }
    let listings = PlanTranscript(text).listings
    return listings.isEmpty ? nil : listings
  }
}

extension ReadingReport {
  /// The plans that logs of level 4 contain, by the forms of the statements; of several the last.
  public var plans: [SQLFingerprint: PlanTranscript.Listing] {
    let listings = sources.flatMap { $0.plans ?? [] }.flatMap { PlanTranscript($0).listings }
    return Dictionary(
      listings.compactMap { listing in
        listing.sql.map { (SQLFingerprint(sql: $0), listing) }
      }, uniquingKeysWith: { $1 })
  }
}
