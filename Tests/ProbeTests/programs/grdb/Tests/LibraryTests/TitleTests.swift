// SPDX-License-Identifier: Apache-2.0

import Library
import StoreExpectations
import Testing

@Suite struct TitleTests {
  private let library: Library

  init() throws { library = try Library() }

  @Test func titlesOfAllAuthorsAreOneStatement() throws {
    let connection = try library.queue.read { $0.sqliteConnection! }
    try expectStatements(on: connection, atMost: 1, rows: 40) {
      #expect(try library.titles().count == 20)
    }
  }

  @Test func oneByOneAStatementForEachAuthorIsReported() throws {
    let connection = try library.queue.read { $0.sqliteConnection! }
    withKnownIssue {
      try expectStatements(on: connection, atMost: 2, fullScans: 0) {
        #expect(try library.titlesOneByOne().count == 20)
      }
    } matching: { issue in
      issue.description.contains("21 statements")
    }
  }
}
