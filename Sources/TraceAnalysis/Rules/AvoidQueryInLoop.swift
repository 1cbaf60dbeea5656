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
      Reported when a statement is followed, on the same thread and the same database, before its connection is closed,
      by ten runs or more of another statement from one line of code, with different values, other than those of LIMIT
      and OFFSET: nine runs or more for ten rows, and at most one for each row, exactly one where a list has less than
      ten. One for every second row is enough at a line that is known if that happened three times or more, or if the
      runs follow the list with at most three other statements, and no write, in between; then two or three runs for
      each row are a loop as well. At most 16 runs of statements outside the loop may lie between. A single list with
      fewer runs than nine for ten rows, or more than its rows, is a note: the statements may be unrelated. A list that
      ran more than four times as often as the loop has none, unless the loop ran three times. Runs on
      other connections or threads than their list are a loop if there is exactly one for each row, with at most three
      other statements and no write in between: a note if that happened once. Needs the probe's events;
      a statement of Core Data's log that follows a list, on its thread, once for each of ten rows or more, or for nine of
      ten, is a note.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let observed = workload.profile.observed
    let loops =
      (observed?.loops ?? []).map { ($0, $0.confidence) }
      + (observed?.possibleLoops ?? []).map { ($0, .low) }
    let sequences = (workload.profile.sequences ?? []).filter {
      workload.profile.statement($0.child)?.kinds.contains(.batch) != true
    }
    return loops.filter { !isPaging($0.0, workload) }.map { finding($0, $1, workload) }
      + sequences.filter { !isPaging($0, workload) }.map { finding($0, in: workload) }
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

  private func finding(
    _ loop: QueryLoop, _ confidence: Finding.Confidence, _ workload: Workload
  ) -> Finding {
    let parent = loop.parentLocation.text.map { " at \($0)" } ?? ""
    let times = loop.occurrences == 1 ? "" : ", \(loop.occurrences.grouped) times"
    let opened = loop.connections ?? 0
    let connections =
      opened == 0
      ? "" : " \(opened.counted("connection")) \(opened == 1 ? "was" : "were") opened for them."
    let doubt = confidence == .low ? " This happened once: it may be a coincidence." : ""
    return Finding(
      rule: Self.name, severity: confidence == .low ? .note : .warning, confidence: confidence,
      statement: loop.child, caller: loop.childLocation,
      message: """
        \(loop.runs.counted("run")) for the \(loop.parentRows.counted("row")) of another \
        statement\(parent)\(times).\(connections)\(doubt)
        """,
      evidence: [
        .init("runs", loop.runs), .init("parentRows", loop.parentRows),
        .init("occurrences", loop.occurrences), .init("stepNs", loop.time),
        .init("parentLine", loop.parentLocation.line),
      ] + (opened == 0 ? [] : [.init("connections", opened)]),
      fix: derivedCount(loop, workload) ?? workload.loading(loop) ?? """
        join this table in the statement\(parent), or run this statement once, with an IN list, \
        before the loop\(opened == 0 ? "" : "; and keep one connection open for all statements of a task")
        """,
      saving: .init(atMost: loop.time, basis: "the time of these runs in SQLite"))
  }
}

extension Workload {
  /// The words of the framework that runs a loop, which load its rows with the list.
  func loading(_ loop: QueryLoop) -> String? {
    guard let child = profile.statement(loop.child)?.sql else { return nil }
    return Framework(sql: child, file: loop.childLocation.file)?.loads(
      child, for: profile.statement(loop.parent)?.sql,
      at: loop.parentLocation.text.map { " at \($0)" } ?? "")
  }
}

extension QueryLoop {
  /// As many runs as rows are rarely a coincidence; other numbers after one list may be.
  var confidence: Finding.Confidence {
    if connections != nil { return .medium }
    if runs == parentRows || occurrences > 2 { return .high }
    let isNear = runs >= parentRows - parentRows / 10 && runs <= parentRows
    return isNear || occurrences == 2 ? .medium : .low
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
