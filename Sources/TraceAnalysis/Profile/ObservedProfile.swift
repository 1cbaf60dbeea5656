// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The work that the probe observed in programs that use SQLite without the store.
public struct ObservedProfile: Hashable, Sendable, Codable {
  /// Statements run.
  public var runs: UInt64 = 0
  /// Rows returned by them.
  public var rows: UInt64 = 0
  /// Rows inserted, updated or deleted by them.
  public var changes: UInt64 = 0
  /// Connections that were opened.
  public var connections: UInt64 = 0
  /// Connections that were open before they were observed; nil without any.
  public var adoptedConnections: UInt64?
  /// PRAGMAs by which drivers set up connections and read the schema; in no other count.
  public var driverPragmas: UInt64?
  /// The tests that markers named, most full-scan steps first; nil without markers.
  public var tests: [TestProfile]?
  /// The processes that ran tests; nil without markers.
  public var testProcesses: UInt64?
  /// The functions of the lines that ran statements; nil where they have no names.
  public var functions: [CallerFunction]?
  /// By time in SQLite, longest first.
  public var loops: [QueryLoop] = []
  /// Runs of ten rows or more in a recording without the origins of values: loops over them cannot be found;
  /// nil without any.
  public var listsOfUnknownValues: UInt64?
  /// Copies of SQLite with statements that are missing here.
  public var copiesNotObserved: [UnobservedCopy] = []
}

/// A copy of SQLite that was found and could not be observed.
public struct UnobservedCopy: Hashable, Sendable, Codable {
  /// The file's path.
  public var path: String
  /// "" if it is unknown.
  public var version: String
  /// The reason why it was not observed.
  public var reason: String
}

/// A statement that ran about once for each row that another one had returned.
///
///     SELECT id, author FROM book          12 rows   app.py:20
///     SELECT name FROM author WHERE id=?   12 runs   app.py:22
public struct QueryLoop: Hashable, Sendable, Codable {
  /// The statement with the rows that are looped over.
  public var parent: StatementID
  /// The line of code that runs it.
  public var parentLocation: SourceLocation
  /// The statement that runs once for each row.
  public var child: StatementID
  /// The line of code that runs that one.
  public var childLocation: SourceLocation
  /// How often the pair was seen.
  public var occurrences: UInt64 = 0
  /// Rows that the parent returned.
  public var parentRows: UInt64 = 0
  /// Runs of the child.
  public var runs: UInt64 = 0
  /// In SQLite, for the runs of the child.
  public var time: Nanoseconds = 0
  /// Connections that were opened for one run of the child each; nil where the runs share the list's connection.
  public var connections: UInt64?
  /// Runs that wrote values other than their row's; nil if there were none.
  public var computed: UInt64?
  /// Whether nothing but the loop ran in between, in a log without rows; nil where rows are known.
  public var isDirect: Bool?
}

extension ObservedProfile {
  private static let sums = Sums<Self, Self>(
    \.runs, \.rows, \.changes, \.connections, \.adoptedConnections, \.driverPragmas,
    \.listsOfUnknownValues)

  mutating func addCounts(of other: Self) { Self.sums.add(other, to: &self) }

  /// The counts since then.
  func since(_ earlier: Self) -> Self {
    var difference = ObservedProfile()
    Self.sums.add(self, to: &difference)
    Self.sums.deduct(earlier, from: &difference)
    return difference
  }
}

extension ObservedProfile? {
  /// The sum of several; nil of none.
  static func merged(_ parts: [ObservedProfile]) -> Self {
    guard var sum = parts.first else { return nil }
    for part in parts.dropFirst() {
      sum.addCounts(of: part)
      sum.copiesNotObserved += part.copiesNotObserved.filter {
        !sum.copiesNotObserved.contains($0)
      }
    }
    let tests = parts.compactMap(\.tests).flatMap { $0 }
    sum.tests =
      tests.isEmpty
      ? nil
      : tests.merged(by: \.name) { $0.add($1) }.sorted {
        ($1.work.fullScanSteps, $0.name) < ($0.work.fullScanSteps, $1.name)
      }
    if !tests.isEmpty {
      sum.testProcesses = parts.compactMap(\.testProcesses).reduce(0) { $0.saturatingSum($1) }
    }
    let functions = parts.compactMap(\.functions).flatMap { $0 }
    sum.functions = functions.isEmpty ? nil : functions.merged(by: \.location) { _, _ in }
    sum.loops = .merged(parts.map(\.loops))
    return sum
  }
}

extension [QueryLoop] {
  static func merged(_ parts: [Self]) -> Self {
    parts.flatMap { $0 }.merged(by: \.key) { $0.add($1) }.sorted(by: \.time, then: \.sortKey)
  }
}

extension QueryLoop {
  fileprivate struct Key: Hashable {
    var parent: StatementID
    var parentLocation: SourceLocation
    var child: StatementID
    var childLocation: SourceLocation
  }

  fileprivate var key: Key {
    Key(
      parent: parent, parentLocation: parentLocation, child: child, childLocation: childLocation)
  }

  fileprivate var sortKey: String {
    "\(childLocation.file):\(childLocation.line) \(child) \(parent)"
  }
}

extension QueryLoop: Summed {
  public static let sums = Sums<Self, Self>(
    \.occurrences, \.parentRows, \.runs, \.time, \.connections, \.computed)

  /// Adds the runs for the rows of one list.
  mutating func addOccurrence(rows: UInt64, runs: UInt64, time: Nanoseconds) {
    occurrences.add(1)
    parentRows.add(rows)
    self.runs.add(runs)
    self.time.add(time)
  }
}
