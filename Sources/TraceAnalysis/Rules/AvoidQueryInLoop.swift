// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct AvoidQueryInLoop: Rule {
  static let explanation = RuleExplanation(
    problem: "a query in a loop",
    law: "A list is read with one statement, not with an additional one for each row.",
    reason: """
      Each statement is prepared, bound and stepped on its own. A join, or one statement with an IN list, reads the same
      rows in one run, and SQLite chooses the order of the tables.
      """,
    bad: """
      for book in db.execute("SELECT id, author_id FROM book"):
          db.execute("SELECT name FROM author WHERE id = ?", (book[1],))
      -- SELECT name FROM author WHERE id = ?      200 runs for 200 rows
      """,
    good: """
      db.execute("SELECT book.id, author.name FROM book JOIN author ON author.id = book.author_id")
      -- one run
      """,
    limits: """
      Reported when ten runs or more of a statement, at one line, have values that an earlier statement on the same
      database returned: those of two fifths of its rows or more, in the order of the rows, or those of nearly each row,
      once. The first 32 rows of a run are compared. Threads, connections and other statements in between do not matter.
      Values that did not change since the last run of the statement are compared with the next rows of its list alone.
      Up to four loops over different lists may take turns on a thread, such as those of tasks that share a connection.
      What a thread read before it received another message, from the network or on the standard input, is no list of its
      later runs. A loop over
      the rows of a loop is part of its finding. Updates to values of the program's own are a note, since SQL may not be
      able to compute them, and so are queries of Django's that read the same columns of the list's rows again, as its
      formsets do. Inserts of such values, IN lists of several rows, and statements on the schema are no loop.
      Needs the probe's events; a statement of Core Data's log that follows a list, on its thread, once for each of ten
      rows or more, or for nine of ten, is a note.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let loops = (workload.profile.observed?.loops ?? []).filter { !isPaging($0, workload) }
    let sequences = (workload.profile.sequences ?? []).filter {
      workload.profile.statement($0.child)?.kinds.contains(.batch) != true
    }
    var chains: [[QueryLoop]] = []
    // Longest first; of loops that lead back to one another the first one is reported.
    for loop in loops.filter({ loop in !loops.contains { loop.isInside($0) } }) + loops
    where !chains.contains(where: { $0.contains(loop) }) {
      chains.append(chain(of: loop, loops))
    }
    return chains.map { finding($0, workload) }
      + sequences.filter { !isPaging($0, workload) }.map { finding($0, in: workload) }
      + Self.unknown(workload.profile.observed?.listsOfUnknownValues ?? 0)
  }

  /// A note on lists with values that an older probe did not record.
  private static func unknown(_ lists: UInt64) -> [Finding] {
    guard lists > 0 else { return [] }
    return [
      Finding(
        rule: name, severity: .note, confidence: .low, statement: nil,
        message: """
          Inconclusive: the recording does not have the origins of the statements' values, so that loops over the \
          rows of \(lists.counted("run")) cannot be found.
          """,
        evidence: [.init("lists", lists)], fix: "record the program again with this version")
    ]
  }

  /// A loop, the loops over the rows of its statement, and all loops below them.
  private func chain(of loop: QueryLoop, _ loops: [QueryLoop]) -> [QueryLoop] {
    var chain = [loop]
    var next = 0
    while next < chain.count {
      chain += loops.filter { $0.isInside(chain[next]) && !chain.contains($0) }
      next += 1
    }
    return chain
  }

  /// A loop by its counts alone.
  private func finding(_ loop: QueryLoop, in workload: Workload) -> Finding {
    guard loop.parentRows > 0 else { return loggedFinding(loop, in: workload) }
    let isCount = workload.profile.statement(loop.child)?.kinds == [.count]
    let times = loop.occurrences == 1 ? "" : ", \(loop.occurrences.grouped) times"
    return Finding(
      rule: Self.name, severity: .note, confidence: .low, statement: loop.child,
      message: """
        \(loop.runs.counted("run")) for the \(loop.parentRows.counted("row")) of another \
        statement\(times), by their number: the values are not known.
        """,
      evidence: [
        .init("runs", loop.runs), .init("parentRows", loop.parentRows),
        .init("occurrences", loop.occurrences), .init("totalNs", loop.time),
      ],
      fix: derivedCount(loop, workload)
        ?? (isCount
          ? """
          count for all rows in one request of dictionaries, grouped by the relationship, or keep the \
          number in a derived attribute
          """
          : """
          prefetch the relationship with the list (relationshipKeyPathsForPrefetching), or fetch for \
          all rows in one request with IN
          """),
      saving: .init(atMost: loop.time, basis: "the time of these runs"))
  }

  /// Whether the runs differ in the page that they read: no value of a row is looked up.
  private func isPaging(_ loop: QueryLoop, _ workload: Workload) -> Bool {
    workload.profile.statement(loop.child)?.sql.map { StatementClauses(sql: $0).bindsOnlyLimit }
      ?? false
  }

  /// The derived attribute that has the count of a loop.
  private func derivedCount(_ loop: QueryLoop, _ workload: Workload) -> String? {
    workload.profile.statement(loop.child)?.sql.flatMap { workload.names?.count(in: $0) }
  }

  private func finding(_ chain: [QueryLoop], _ workload: Workload) -> Finding {
    let loop = chain[0]
    let parent = loop.parentLocation.text.map { " at \($0)" } ?? ""
    let times = loop.occurrences == 1 ? "" : ", \(loop.occurrences.grouped) times"
    let opened = loop.connections ?? 0
    let connections =
      opened == 0
      ? "" : " \(opened.counted("connection")) \(opened == 1 ? "was" : "were") opened for them."
    let inner = chain.dropFirst().map { inner in
      let line = inner.childLocation.text.map { " at \($0)" } ?? ""
      return
        " Another statement\(line) ran \(inner.runs.counted("time")) for the rows of such runs."
    }
    let isComputed = (loop.computed ?? 0) > loop.runs / 2
    let isReread = workload.readsAgain(loop)
    let command = workload.profile.statement(loop.child)?.sql.map(StatementCommand.name) ?? ""
    let isWrite = ["INSERT", "REPLACE", "UPDATE", "DELETE"].contains(command)
    let time = chain.reduce(Nanoseconds(0)) { $0.saturatingSum($1.time) }
    return Finding(
      rule: Self.name, severity: isComputed || isReread ? .note : .warning, confidence: .high,
      statement: loop.child, caller: loop.childLocation,
      message: """
        \(loop.runs.counted("run")) for the \(loop.parentRows.counted("row")) of another \
        statement\(parent)\(times).\(connections)\(inner.joined())
        """,
      evidence: [
        .init("runs", loop.runs), .init("parentRows", loop.parentRows),
        .init("occurrences", loop.occurrences), .init("stepNs", time),
        .init("parentLine", loop.parentLocation.line),
      ] + (opened == 0 ? [] : [.init("connections", opened)]),
      fix: derivedCount(loop, workload)
        ?? (isReread
          ? "the list has these rows: use its objects; a formset reads the row of each form again"
          : isWrite
            ? Self.fixOfWrites(isComputed, parent)
            : workload.loading(loop)
              ?? """
              join this table in the statement\(parent), or run this statement once, with an IN list, \
              before the loop\(opened == 0 ? "" : "; and keep one connection open for all statements of a task")
              """),
      saving: .init(atMost: time, basis: "the time of these runs in SQLite"))
  }

  private static func fixOfWrites(_ isComputed: Bool, _ parent: String) -> String {
    let statement = """
      one statement with the SELECT\(parent) in it (INSERT … SELECT, UPDATE … FROM, DELETE … WHERE … IN)
      """
    return isComputed
      ? "if SQL can compute the values, write \(statement); otherwise keep the loop, in one transaction"
      : "write \(statement)"
  }
}

extension Workload {
  /// Whether Django reads rows of a list again by their keys, as its formsets do to validate each form.
  func readsAgain(_ loop: QueryLoop) -> Bool {
    guard let child = profile.statement(loop.child)?.sql,
      let parent = profile.statement(loop.parent)?.sql,
      Framework(sql: child, file: loop.childLocation.file) == .django
    else { return false }
    let tables = StatementTables.all(in: child)
    let columns = ResultColumns.all(in: child).map(\.name)
    return tables.count == 1 && tables == StatementTables.all(in: parent)
      && columns.count > 1 && columns == ResultColumns.all(in: parent).map(\.name)
  }

  /// The words of the framework that runs a loop, which load its rows with the list.
  func loading(_ loop: QueryLoop) -> String? {
    guard let child = profile.statement(loop.child)?.sql else { return nil }
    return Framework(sql: child, file: loop.childLocation.file)?.loads(
      child, for: profile.statement(loop.parent)?.sql,
      at: loop.parentLocation.text.map { " at \($0)" } ?? "")
  }
}

extension QueryLoop {
  /// Whether it is over the rows of another loop's statement.
  fileprivate func isInside(_ outer: QueryLoop) -> Bool {
    self != outer && parent == outer.child && parentLocation == outer.childLocation
  }
}

extension AvoidQueryInLoop {
  /// A loop in a log without rows: certain where the runs follow each other, or their line is known.
  func loggedFinding(_ loop: QueryLoop, in workload: Workload) -> Finding {
    let times = loop.occurrences == 1 ? "" : ", in \(loop.occurrences.grouped) sequences"
    let parent = loop.parentLocation.text.map { " at \($0)" } ?? ""
    let isCertain = loop.isDirect == true || loop.childLocation != .unknown
    return Finding(
      rule: Self.name, severity: isCertain ? .warning : .note,
      confidence: isCertain ? .medium : .low, statement: loop.child, caller: loop.childLocation,
      message: """
        \(loop.runs.counted("run")) with different values one after the other\(times); the log does not \
        have the rows of the statement before them\(parent).
        """,
      evidence: [.init("runs", loop.runs), .init("occurrences", loop.occurrences)]
        + (loop.time > 0 ? [.init("totalNs", loop.time)] : []),
      fix: workload.loading(loop) ?? """
        read these rows with the list, by a join, or by one statement with an IN list before the loop
        """,
      saving: loop.time == 0 ? nil : .init(atMost: loop.time, basis: "the time of these runs"))
  }
}
