// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Compares the rows that statements return and change in two runs of the same work, statement by
/// statement; replaced statements are compared with the statements that read their tables now.
///
/// The content of rows is not recorded. The number of rows is the evidence that none is lost.
struct RowComparison {
  /// Rows that statements of the first run returned or changed, and none of the second run does.
  private(set) var lost: [Proof.Reason] = []
  /// The reasons why the two runs may not do the same work.
  private(set) var unknown: [Proof.Reason] = []
  private(set) var pairs: [Proof.Pair] = []

  init(_ before: [String: ProvenForm], _ after: [String: ProvenForm], test: String) {
    var (gone, added): ([ProvenForm], [ProvenForm]) = ([], [])
    for sql in Set(before.keys).union(after.keys).sorted() {
      switch (before[sql], after[sql]) {
      case (let old?, let new?):
        compare(old, new, hasTest: !test.isEmpty, &gone, &added)
      case (let old, let new):
        gone += [old].compactMap(\.self)
        added += [new].compactMap(\.self)
      }
    }
    var hasFewerRequests = false
    for isWrite in [false, true] {
      var parts = Replacement.connected(
        gone.filter { $0.isWrite == isWrite && $0.returnsOrChanges },
        added.filter { $0.isWrite == isWrite && $0.returnsOrChanges })
      for index in parts.indices {
        parts[index].compare(hasTest: !test.isEmpty)
        pairs += parts[index].pairs
        lost += parts[index].lost
        unknown += parts[index].unknown
        hasFewerRequests = hasFewerRequests || parts[index].hasFewerRequests
      }
    }
    if hasFewerRequests {
      // Look-ups for rows that were not requested are not missing.
      unknown += lost
      lost = []
    }
    guard !test.isEmpty else { return }
    for index in lost.indices { lost[index].sentence = "\(test): \(lost[index].sentence)" }
    for index in unknown.indices { unknown[index].sentence = "\(test): \(unknown[index].sentence)" }
    for index in pairs.indices { pairs[index].test = test }
  }

  /// Compares a statement that both runs have.
  private mutating func compare(
    _ old: ProvenForm, _ new: ProvenForm, hasTest: Bool, _ gone: inout [ProvenForm],
    _ added: inout [ProvenForm]
  ) {
    let isSame = old.work.rows == new.work.rows && old.changes == new.changes
    // A look-up that is kept returns the row of each value once.
    let isKept =
      (old.isLookup || hasTest) && old.changes == new.changes && new.work.count < old.work.count
      && old.distinctRuns == new.distinctRuns && old.distinctRows != nil
      && old.distinctRows == new.distinctRows
    if isSame || isKept {
      pairs.append(.init(before: [old], after: [new], basis: isSame ? .rows : .lookups))
    } else if let rest = old.without(new) {
      // Fewer runs with more rows each are batches, and not fewer requests.
      let isBatch = new.work.count > 0 && new.rowsPerRun >= 2 * old.rowsPerRun
      if rest.work.count == 0 || isBatch && !rest.isLookup {
        lost.append(
          .init(
            "a statement \(rest.isWrite ? "changes" : "returns") \(rest.rowText) less than before",
            old.sql))
      } else {
        gone.append(rest)
      }
    } else if let rest = new.without(old) {
      added.append(rest)
    } else {
      unknown.append(
        .init("a statement has other numbers of runs and rows, not all of them fewer", old.sql))
    }
  }
}

extension ProvenForm {
  var changes: UInt64 { work.changes ?? 0 }

  /// The rows that are compared.
  var comparedRows: UInt64 { isWrite ? changes : work.rows }

  fileprivate var rowsPerRun: Double { Double(comparedRows) / Double(max(1, work.count)) }

  var rowText: String { comparedRows.counted("row") }

  fileprivate var returnsOrChanges: Bool { work.rows > 0 || changes > 0 }
}
