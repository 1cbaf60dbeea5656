// SPDX-License-Identifier: Apache-2.0

import DatabaseLocks
import QueryPlans
import StoreEvents

extension Document {
  /// The verdict, the problems, the facts, and remarks.
  public init(check report: CheckReport) {
    self.init(title: "\(report.facts.path): \(report.headline)")
    blocks.append(.facts(report.documentFacts))
    for problem in report.problems {
      blocks += [.paragraph(""), .paragraph(problem.sentence, .bad)]
    }
    if let failure = report.failure {
      blocks += [.paragraph(""), .paragraph("Not checked: \(failure)", .bad)]
    }
    for remark in report.remarks { blocks += [.paragraph(""), .paragraph(remark)] }
  }
}

extension CheckReport {
  fileprivate var documentFacts: [Document.Fact] {
    var list: [Document.Fact] = [
      .init("journal mode", .text(facts.journalMode.rawValue)), .init("size", .bytes(facts.bytes)),
    ]
    if facts.journalMode != .unknown, facts.bytes > 0 {
      list.append(.init("page size", .count(UInt64(facts.pageSize))))
      list.append(.init("pages", facts.pages.map { .count(UInt64($0)) } ?? .none))
      list.append(.init("free pages", .count(UInt64(facts.freePages))))
      list.append(.init("written by SQLite", facts.writtenBy.map { .text($0) } ?? .none))
    }
    if let log = facts.log {
      list.append(.init("log", .bytes(log.bytes)))
      list.append(.init("transactions in it", .count(log.transactions)))
    }
    if let journal = facts.journal { list.append(.init("journal", .bytes(journal.bytes))) }
    list.append(.init("programs with it open", .count(UInt64(users.count))))
    if let check {
      list.append(.init("integrity_check", .text(check.damage.isEmpty ? "ok" : "damaged")))
      if check.damage.isEmpty {
        let rows = check.foreignKeys.reduce(UInt64(0)) { $0 + $1.rows }
        list.append(.init("foreign_key_check", .text(rows == 0 ? "ok" : rows.counted("row"))))
      }
    }
    return list
  }
}
