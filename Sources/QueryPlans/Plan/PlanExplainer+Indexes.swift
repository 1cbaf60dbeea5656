// SPDX-License-Identifier: Apache-2.0

extension PlanExplainer {
  /// Finds the indexes that SQLite would use for the scans, the searches and the sort of a statement.
  func tryIndexes(_ explanation: inout Explanation, _ subject: IndexTrial.Subject) {
    guard var judgement = explanation.judgement else { return }
    let sorts = judgement.sortsByTemporaryBTree
    let scans = judgement.verdict == .fullScan || judgement.verdict == .mayScan
    guard scans || sorts || judgement.excess != nil, let trial = currentTrial() else { return }
    let proposals = proposals(for: subject.sql, trial)
    // Another order of the join is the fix, and each run is expensive.
    let searchesText = judgement.excess?.textSearch != nil
    let sortsMany = sorts && judgement.work.map { $0.perRun(\.rows) >= 1000 } ?? true
    let searchesMany = judgement.excess.map { $0.pages == nil } ?? false
    let isSearched = !searchesText && (scans || sortsMany || searchesMany)
    let chosen = isSearched ? searched(subject, proposals, trial) : nil
    // What the search cannot count is an estimate.
    var estimated = subject
    if isSearched, chosen == nil { estimated.run = { _, _ in nil } }
    if scans {
      for index in judgement.scans.indices {
        let scan = judgement.scans[index]
        judgement.scans[index].indexes = indexes(
          for: scan, in: estimated, proposals, trial, chosen)
        if chosen != nil { judgement.scans[index].isBesideAutomaticIndex = false }
      }
    }
    if sorts, !searchesText, scans || judgement.excess?.sorts == true || sortsMany {
      judgement.sortIndexes =
        chosen.map { trial.sorts(less: $0, in: subject) ? $0 : [] }
        ?? trial.sorting(proposals.sorting(), in: estimated)
    }
    if let excess = judgement.excess, !searchesText {
      let sets =
        excess.pages == nil
        ? proposals.sorting() + Set(excess.tables).sorted().flatMap(proposals.finding)
        : narrowIndexes(forCountOf: judgement.countedTable ?? "")
      judgement.excess?.indexes = chosen ?? trial.improving(sets, in: subject)
    }
    judgement.distribute(chosen)
    if chosen?.isEmpty == true, let built = judgement.automaticIndexColumns.first {
      judgement.smallGain = trial.count([built.index], in: subject)
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

  /// The indexes of `advise` for this statement alone, with what they save; nil where runs cannot be counted.
  private func searched(
    _ subject: IndexTrial.Subject, _ proposals: IndexProposals, _ trial: IndexTrial
  ) -> [IndexCandidate]? {
    trial.chosen(for: subject) {
      subject.search { trial.used($0, together: proposals.sets, in: subject) }
    }
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
    let subject = IndexTrial.Subject(
      sql: sql,
      run: { [meter] in meter.trial(sql, values: [], work: StatementWork(), with: $0, as: $1) })
    scan.indexes = indexes(for: scan, in: subject, proposals(for: sql, trial), trial)
    return scan
  }

  private func indexes(
    for scan: PlanJudgement.Scan, in subject: IndexTrial.Subject, _ proposals: IndexProposals,
    _ trial: IndexTrial, _ chosen: [IndexCandidate]? = nil
  ) -> [IndexCandidate]? {
    guard scan.harmlessBecause == nil, let table = scan.table else { return nil }
    if scan.isVirtual { return [] }
    if let chosen {
      // One that has the order of the rows does not find them.
      let finds = trial.find(chosen, rowsOf: table, in: subject)
      return finds ? chosen.filter { $0.isOf(table) } : []
    }
    return trial.finding(proposals.finding(rowsOf: table), for: scan, in: subject)
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

extension PlanJudgement {
  /// Names each index of a set at the scan of its table, and the indexes of other tables at the largest scan.
  fileprivate mutating func distribute(_ chosen: [IndexCandidate]?) {
    guard let chosen else { return }
    indexes = chosen
    lastingIndexes = chosen.filter { index in automaticIndexes.contains(where: index.isOf) }
    let own = scans.flatMap { $0.indexes ?? [] } + (lastingIndexes ?? [])
    let suspects = scans.indices.filter { scans[$0].indexes != nil && !scans[$0].isVirtual }
    // One of a table that is scanned, and by which none of its rows are found, has their order.
    let others = chosen.filter { index in
      !own.contains(index) && !suspects.contains { scans[$0].table.map(index.isOf) == true }
    }
    let largest = suspects.max {
      let (a, b) = (scans[$0], scans[$1])
      return a.isInCorrelatedSubquery != b.isInCorrelatedSubquery
        ? a.isInCorrelatedSubquery : (a.size?.rows ?? 0) < (b.size?.rows ?? 0)
    }
    if let largest {
      scans[largest].indexes?.append(contentsOf: others)
    } else if !automaticIndexes.isEmpty {
      lastingIndexes?.append(contentsOf: others)
    }
  }
}

extension IndexCandidate {
  fileprivate func isOf(_ table: String) -> Bool { self.table.lowercased() == table.lowercased() }
}
