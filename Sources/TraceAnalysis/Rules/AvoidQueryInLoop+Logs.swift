// SPDX-License-Identifier: Apache-2.0

import StoreEvents

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
