// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Builds pages of the rows that SQLite passes to it.
final class PageCollector: RowCollector {
  // Unchecked: it belongs to a connection, which one thread uses at a time, and the checks are made
  // for every row.
  @exclusivity(unchecked) private var builder = RowBuilder(layout: RowLayout(kinds: []))
  @exclusivity(unchecked) private var page: ((RowPage) -> Void)?
  @exclusivity(unchecked) private var extra: ((any RowColumns) -> Void)?

  static let function = "store_rows"
  // SQLite's default limit on arguments, <https://www.sqlite.org/limits.html>; some builds have more.
  static let maxColumns = 100

  /// Runs a statement with the function as its only column, and passes on the pages; `extra` reads
  /// the columns after the row's.
  func collect(
    _ statement: Statement, layout: RowLayout, extra: ((any RowColumns) -> Void)?,
    page: (RowPage) -> Void
  ) throws(SQLiteError) {
    builder = RowBuilder(layout: layout, pageWords: RowBuilder.usualPageWords)
    // The buffer is not kept for a single large blob.
    defer { builder.restart() }
    var failure: SQLiteError?
    withoutActuallyEscaping(page) { page in
      (self.page, self.extra) = (page, extra)
      defer { (self.page, self.extra) = (nil, nil) }
      do throws(SQLiteError) {
        try statement.run()
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    if !builder.isEmpty { page(builder.takePage()) }
  }

  override func collect(_ row: CollectedRow) {
    // A statement of the program's own has no pages.
    guard let page else { return }
    builder.read(row)
    extra?(row)
    if builder.isFull { page(builder.takePage()) }
  }
}
