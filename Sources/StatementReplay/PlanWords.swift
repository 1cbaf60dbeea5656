// SPDX-License-Identifier: Apache-2.0

/// The steps of a plan in the words of all versions of SQLite, so that plans of two versions compare.
///
///     SEARCH TABLE stop_time AS s USING INDEX i (stop=?)    before 3.36
///     SEARCH s USING INDEX i (stop=?) LEFT-JOIN             since 3.38
enum PlanWords {
  static func common(_ plan: [String]) -> [String] { plan.map(common) }

  static func common(_ step: String) -> String {
    var words = step.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    if words.last == "LEFT-JOIN" { words.removeLast() }
    guard let first = words.first else { return step }
    switch first {
    case "SCAN", "SEARCH": readTable(&words)
    case "MATERIALIZE", "CO-ROUTINE": return first
    case "USE":
      // `LAST 2 TERMS OF` since 3.45, `RIGHT PART OF` before.
      if let end = words.firstIndex(of: "OF"), let start = words.firstIndex(of: "FOR"), start < end
      {
        words.replaceSubrange(start + 1..<end, with: ["PART"])
      }
    default: break
    }
    return words.joined(separator: " ")
  }

  private static func readTable(_ words: inout [String]) {
    guard words.count > 1 else { return }
    let isOld = words[1] == "TABLE" || words[1] == "SUBQUERY"
    let end = words.firstIndex { $0 == "USING" || $0 == "VIRTUAL" } ?? words.count
    if isOld, let alias = words[..<end].firstIndex(of: "AS"), alias > 1 {
      words.removeSubrange(1...alias)
    } else if isOld, words[1] == "TABLE" {
      words.remove(at: 1)
    } else if words[1] == "SUBQUERY" || words[1].hasPrefix("(subquery-") {
      words.replaceSubrange(1..<end, with: ["(subquery)"])
    }
  }
}
