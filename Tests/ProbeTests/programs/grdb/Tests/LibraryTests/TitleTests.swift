// SPDX-License-Identifier: Apache-2.0

import Library
import StoreExpectations
import Testing

@Suite struct TitleTests {
  private let library: Library

  init() throws { library = try Library() }

  @Test func titlesOfAllAuthorsAreOneStatement() throws {
    let connection = try library.queue.read { $0.sqliteConnection! }
    let titles = try expectStatements(on: connection, atMost: 5, rows: 40) { try library.titles() }
    #expect(titles.count == 20)
  }

  /// GRDB itself runs four statements around each read.
  @Test func oneByOneAStatementForEachAuthorIsReported() throws {
    let connection = try library.queue.read { $0.sqliteConnection! }
    try withKnownIssue {
      _ = try expectStatements(on: connection, atMost: 5) { try library.titlesOneByOne() }
    } matching: { issue in
      issue.description.contains("counted 25")
    }
  }
}
