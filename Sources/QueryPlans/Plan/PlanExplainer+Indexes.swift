// SPDX-License-Identifier: Apache-2.0

extension PlanExplainer {
  /// Finds the indexes that SQLite would use for the scans, the searches and the sort of a statement.
  func tryIndexes(_ explanation: inout Explanation, _ subject: IndexTrial.Subject) {
    guard var judgement = explanation.judgement else { return }
    let sorts = judgement.sortsByTemporaryBTree
    let scans = judgement.verdict == .fullScan || judgement.verdict == .mayScan
    guard scans || sorts || judgement.excess != nil, let trial = currentTrial() else { return }
    let proposals = proposals(for: subject.sql, trial)
    if scans {
      // Each SELECT has its own, as the subqueries of a list of columns: one index helps no other.
      let selects = judgement.suspects.count { $0.isOutermost && $0.table != nil }
      for index in judgement.scans.indices {
        let part = judgement.scans[index].isOutermost ? 1 / Double(max(selects, 1)) : 1
        judgement.scans[index].indexes = indexes(
          for: judgement.scans[index], in: subject, proposals, trial, part: part)
      }
      let found = Set(judgement.suspects.flatMap { $0.indexes ?? [] })
      if selects > 1, found.count > 1 {
        // What they save together.
        _ = trial.improving([found.sorted { $0.name < $1.name }], in: subject)
      }
    }
    // Another order of the join is the fix, and each run is expensive.
    let searchesText = judgement.excess?.textSearch != nil
    let sortsMany = judgement.work.map { $0.perRun(\.rows) >= 1000 } ?? true
    if sorts, !searchesText, scans || judgement.excess?.sorts == true || sortsMany {
      judgement.sortIndexes = trial.sorting(proposals.sorting(), in: subject)
    }
    if let excess = judgement.excess, !searchesText {
      let sets =
        excess.pages == nil
        ? proposals.sorting() + Set(excess.tables).sorted().flatMap(proposals.finding)
        : narrowIndexes(forCountOf: judgement.countedTable ?? "")
      judgement.excess?.indexes = trial.improving(sets, in: subject)
    }
    if scans || judgement.excess != nil {
      judgement.obstacles =
        ObstacleSearch(
          trial: trial, subject: subject, viewSQL: viewSQL, qualified: qualified,
          narrowIndexes: narrowIndexes
        ).obstacles()
    }
    if let excess = judgement.excess {
      let hasFix =
        !excess.indexes.isEmpty || !judgement.obstacles.isEmpty
        || judgement.sortIndexes?.isEmpty == false || excess.sortedMatches != nil
      let needsFix = excess.isComputed || excess.terms.isEmpty && excess.textSearch == nil
      if hasFix {
        judgement.verdict = .costlySearch
      } else if needsFix {
        // Groups, and an order that no index has, need all of the rows.
        judgement.verdict = judgement.scans.isEmpty ? .search : .harmlessScan
        judgement.excess = nil
      }
    }
    judgement.gains = trial.gains[subject.sql] ?? []
    explanation.judgement = judgement
  }

  /// Indexes on the columns with the shortest values: SQLite counts rows by the smallest b-tree.
  func narrowIndexes(forCountOf table: String) -> [[IndexCandidate]] {
    guard let names = try? connection.texts("SELECT name FROM pragma_table_info(?1)", table)
    else { return [] }
    let lengths = names.compactMap { name -> (name: String, length: Int)? in
      let column = Self.quoted(name)
      return number(
        "SELECT sum(length(\(column))) FROM (SELECT \(column) FROM main.\(Self.quoted(table)) "
          + "WHERE \(column) IS NOT NULL LIMIT 100) HAVING count(*) > 0"
      ).map { length in (name: name, length: length) }
    }
    return lengths.sorted { ($0.length, $0.name) < ($1.length, $1.name) }.prefix(2).map {
      [IndexCandidate(table: table, columns: [$0.name])]
    }
  }

  /// A scan by a trigger, with the indexes that SQLite would use for it.
  func withIndexes(_ scan: PlanJudgement.Scan, in sql: String) -> PlanJudgement.Scan {
    guard let trial = currentTrial() else { return scan }
    var scan = scan
    let subject = IndexTrial.Subject(sql: sql) { [meter] in
      meter.trial(sql, values: [], work: StatementWork(), with: $0, as: $1)
    }
    scan.indexes = indexes(for: scan, in: subject, proposals(for: sql, trial), trial)
    return scan
  }

  private func indexes(
    for scan: PlanJudgement.Scan, in subject: IndexTrial.Subject, _ proposals: IndexProposals,
    _ trial: IndexTrial, part: Double = 1
  ) -> [IndexCandidate]? {
    guard scan.harmlessBecause == nil, let table = scan.table else { return nil }
    if scan.isVirtual { return [] }
    return trial.finding(proposals.finding(rowsOf: table), for: scan, in: subject, part: part)
  }

  private func proposals(for sql: String, _ trial: IndexTrial) -> IndexProposals {
    IndexProposals(sql: sql, viewSQL: viewSQL, qualified: qualified, columns: trial.columns)
  }
}

extension PlanJudgement {
  /// The table of `SELECT count(*) FROM t`.
  var countedTable: String? {
    scans.first { $0.harmlessBecause == .entryCount && $0.index == nil }?.table
  }
}
