// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension Profile {
  /// The reasons why the counts are incomplete; one sentence each.
  public var comparisonDoubts: [String] {
    var doubts = completeness.doubts
    if !selection.isEmpty {
      doubts.append(
        "the report was filtered (\(selection.joined(separator: ", "))): write it without the filter"
      )
    }
    let textless = statements.count { $0.sql == nil && $0.id != Bounds.restOfStatements }
    if textless > 0 {
      doubts.append(
        "the text of \(textless.counted("statement")) is missing or damaged, so it cannot be compared"
      )
    }
    return doubts
  }

  /// The reasons why the counts may be incomplete, unless the user asserts that they are complete.
  public func reservations(assumingComplete: Bool, allowingMissing: Bool) -> [String] {
    let completeness = completeness
    let unended = completeness.unended.map { "\($0); if it is complete, pass --assume-complete" }
    let failures = completeness.failures.map {
      "\($0), so work may be missing; if none is, pass --allow-missing"
    }
    return (allowingMissing ? [] : failures) + (assumingComplete ? [] : unended)
  }
}
