// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Statements of the first run, and the statements of the second one that read or write their
/// tables instead.
///
///     SELECT … FROM loan               20 rows        SELECT … FROM loan LEFT JOIN member …   20 rows
///     SELECT … FROM member WHERE id = ?   20 runs, 18 rows, 2 without a row
struct Replacement {
  private var gone: [ProvenForm]
  private var added: [ProvenForm]
  private(set) var lost: [Proof.Reason] = []
  private(set) var unknown: [Proof.Reason] = []
  private(set) var pairs: [Proof.Pair] = []
  /// Whether a statement that is no look-up ran less often.
  private(set) var hasFewerRequests = false

  /// The statements that have tables in common, directly or by another one.
  static func connected(_ gone: [ProvenForm], _ added: [ProvenForm]) -> [Self] {
    var parts: [(tables: Set<String>, part: Self)] = []
    for (form, isGone) in gone.map({ ($0, true) }) + added.map({ ($0, false) }) {
      var (tables, sum) = (form.tables, Self(gone: [], added: []))
      if isGone { sum.gone = [form] } else { sum.added = [form] }
      parts.removeAll { other in
        guard !other.tables.isDisjoint(with: tables) else { return false }
        tables.formUnion(other.tables)
        sum.gone = other.part.gone + sum.gone
        sum.added = other.part.added + sum.added
        return true
      }
      parts.append((tables, sum))
    }
    return parts.map(\.part)
  }

  private init(gone: [ProvenForm], added: [ProvenForm]) { (self.gone, self.added) = (gone, added) }

  /// Compares the statements on the same tables first, then joins with the statements on the joined
  /// tables.
  mutating func compare(hasTest: Bool) {
    for tables in gone.map(\.tables) {
      let (old, new) = (
        gone.filter { $0.tables == tables }, added.filter { $0.tables == tables }
      )
      let rows = new.map(\.comparedRows).sum(from: 0)
      let distinct = old.map { $0.isLookup || hasTest ? $0.distinctRows : nil }
      let isSame = old.map(\.comparedRows).sum(from: 0) == rows
      let isKept =
        !distinct.contains(nil)
        && distinct.compactMap(\.self).sum(from: 0) == rows
      guard !new.isEmpty, isSame || isKept else { continue }
      pairs.append(.init(before: old, after: new, basis: isSame ? .rows : .lookups))
      gone.removeAll { $0.tables == tables }
      added.removeAll { $0.tables == tables }
    }
    for new in added { join(new, hasTest: hasTest) }
    for old in gone {
      let words =
        "\(old.comparedRows.grouped) rows are not \(old.isWrite ? "written" : "read") any more"
      // Without tests, a statement that is no look-up is a request that may not have been made.
      if old.hasUnseenRepeats {
        unknown.append(.init("\(words), or were read more than once", old.sql))
      } else if old.isLookup || hasTest {
        lost.append(.init("\(words)", old.sql))
      } else {
        hasFewerRequests = true
        unknown.append(.init("\(words), or fewer requests were made", old.sql))
      }
    }
  }

  /// Compares a statement with all statements on the tables that it reads.
  private mutating func join(_ new: ProvenForm, hasTest: Bool) {
    var old = gone.filter { $0.tables.isSubset(of: new.tables) }
    guard let fewest = old.map(\.work.count).min() else {
      unknown.append(.init("a new statement has \(new.rowText), and replaces none", new.sql))
      return
    }
    gone.removeAll { $0.tables.isSubset(of: new.tables) }
    // A loop of few runs is one as well.
    for index in old.indices where old[index].work.count > fewest { old[index].isLookup = true }
    guard let full = Self.rowsOfJoin(old), let kept = Self.rowsOfJoin(old.map(\.distinct)) else {
      unknown.append(
        .init("the runs without a row are not counted; record the program again", new.sql))
      return
    }
    let rows = new.comparedRows
    if full.contains(rows) || kept.contains(rows) {
      pairs.append(.init(before: old, after: [new], basis: old.count == 1 ? .rows : .join))
      return
    }
    let sentence = "\(new.rowText); \(kept.lowerBound.grouped) before"
    let requests = old.filter { !$0.isLookup }.map(\.work.count).min()
    if old.contains(where: \.hasUnseenRepeats) {
      unknown.append(.init("a statement that replaces repeated look-ups has \(sentence)", new.sql))
    } else if new.isAggregate || old.contains(where: \.isAggregate) {
      unknown.append(.init("a statement that counts or groups rows has \(sentence)", new.sql))
    } else if rows < kept.lowerBound, !hasTest, let requests, new.work.count < requests {
      hasFewerRequests = true
      unknown.append(
        .init(
          "a statement ran \(new.work.count.counted("time")), \(requests.grouped) before, and has "
            + sentence, new.sql))
    } else if rows > full.upperBound {
      unknown.append(.init("a statement has \(sentence)", new.sql))
    } else {
      lost.append(.init("a statement has \(sentence)", new.sql))
    }
  }

  /// The rows of a join that keeps each row of its parts: one for each run without a row, and for each row of a list
  /// that was not looked up.
  ///
  /// - Returns: nil where runs without a row are not counted.
  private static func rowsOfJoin(_ parts: [ProvenForm]) -> ClosedRange<UInt64>? {
    guard parts.count > 1 else {
      return parts.first.map { $0.comparedRows...$0.comparedRows.saturatingSum($0.work.empty ?? 0) }
    }
    let listed = parts.filter { !$0.isLookup }.map(\.work.rows).sum(from: 0)
    let others = parts.map { part -> UInt64? in
      guard part.isLookup else { return 0 }
      return part.work.empty.map { $0.saturatingSum(listed.since(part.work.count)) }
    }
    let known = others.compactMap(\.self)
    guard known.count == parts.count else { return nil }
    let rows = zip(parts, known).map { $0.work.rows.saturatingSum($1) }.max() ?? 0
    let all = known.sum(from: parts.map(\.work.rows).max() ?? 0)
    return rows...max(rows, all)
  }
}

extension ProvenForm {
  /// The form with its runs with different values, where these are known.
  fileprivate var distinct: Self {
    guard isLookup, let rows = distinctRows else { return self }
    var form = self
    (form.work.rows, form.work.count) = (rows, distinctRuns)
    return form
  }
}
