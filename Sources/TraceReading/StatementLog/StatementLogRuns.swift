// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// The events of the statements of a log: announcements, lines of code, runs and transactions.
struct StatementLogRuns {
  private let ledger: SourceLedger
  private let fileName: String
  private var process: ProcessIdentity
  private var known: Set<Int64> = []
  private var records: [EventRecord] = []
  private var now: Nanoseconds = 0
  private var isDated = false
  private var announced: Set<StatementID> = []
  private var callers: [SourceLocation: UInt64] = [:]
  private var connections: [String: UInt64] = [:]
  private var transactions: [Key: Transaction] = [:]
  private var runID: UInt64 = 0
  private var transactionID: UInt64 = 0

  private struct Key: Hashable {
    var process: Int64
    var request: Int64
    var connection: UInt64
  }

  private struct Transaction {
    var id: UInt64
    var kind: String
    var begin: Nanoseconds
    var statements: UInt64 = 0
    var writes: UInt64 = 0
    /// Whether Python's module began it: it does so before a statement that changes rows, and not before DDL.
    var isBegun = false
    var time: Nanoseconds = 0
  }

  // Arbitrary: SQL that is built from values would fill the memory; a line may promise any number of runs.
  private static let maxNames = 65_536
  private static let maxRuns: UInt64 = 100_000

  init(ledger: SourceLedger) {
    self.ledger = ledger
    fileName = ledger.fileName
    process = ProcessIdentity(id: -Int64(ledger.index), name: fileName)
  }

  mutating func drainRecords() -> [EventRecord] {
    defer { records.removeAll(keepingCapacity: true) }
    return records
  }

  mutating func read(_ head: StatementLogHead) {
    if let id = head.process, id != process.id { process = ProcessIdentity(id: id, name: fileName) }
    guard let time = head.time else {
      if !isDated { now += 1 }
      return
    }
    if !isDated, !head.isUTC {
      ledger.addRemark("the log's times have no zone: they are taken for UTC")
    }
    (now, isDated) = (time, true)
  }

  mutating func add(
    _ text: String, values: String, time: Nanoseconds? = nil, count: UInt64 = 1,
    library: StatementLogLine.Library, at location: SourceLocation = .unknown,
    function: String = "",
    on name: String = "", request: Int64
  ) {
    var sql = String(text.trimmingPrefix(while: \.isWhitespace))
    while let last = sql.last, last.isWhitespace || last == ";" { sql.removeLast() }
    guard !sql.isEmpty else { return }
    if known.count < Self.maxNames, known.insert(process.id).inserted {
      ledger.addUncounted(process, kind: .statementLog)
    }
    if connections[name] == nil, connections.count < Self.maxNames {
      connections[name] = UInt64(connections.count + 1)
    }
    let key = Key(process: process.id, request: request, connection: connections[name] ?? 0)
    let control = TransactionControl(sql)
    if control == .begin { begin(sql, key) }
    // Python's module begins and ends no transaction for a `BEGIN (implicit)` that no row was changed in.
    let isSent =
      library != .sqlAlchemy || control == nil
      || control != .begin && transactions[key]?.isBegun == true
    if isSent {
      let caller = announce(sql, location, function)
      if count > Self.maxRuns {
        ledger.addProblem("a line with \(count) runs: the first \(Self.maxRuns) were used")
      }
      for _ in 0..<min(count, Self.maxRuns) { run(sql, values, time, caller, key, control) }
    } else if case .end(let isCommit) = control {
      end(isCommit: isCommit, key)
    }
  }

  /// Ends the transactions that the log's end cut: without their end nothing is known of them.
  mutating func finish() -> [EventRecord] {
    if !isDated { ledger.addRemark("the log has no times of day: only the order is known") }
    transactions.removeAll()
    return drainRecords()
  }

  // MARK: - Events

  private mutating func announce(
    _ sql: String, _ location: SourceLocation, _ function: String
  ) -> UInt64 {
    let id = StatementID(sql: sql)
    if announced.count >= Self.maxNames { announced.removeAll() }
    if announced.insert(id).inserted {
      append(.statement(StatementAnnounced(storeID: 1, statementID: id, sql: sql)), request: 0)
    }
    guard location != .unknown else { return 0 }
    if let known = callers[location] { return known }
    guard callers.count < Self.maxNames else { return 0 }
    let caller = UInt64(callers.count + 1)
    callers[location] = caller
    append(
      .caller(
        CallerAnnounced(
          callerID: caller, language: "ruby", file: location.file, line: location.line,
          function: function, frames: "")),
      request: 0)
    return caller
  }

  private mutating func run(
    _ sql: String, _ values: String, _ time: Nanoseconds?, _ caller: UInt64, _ key: Key,
    _ control: TransactionControl?
  ) {
    runID += 1
    if !isDated { now += max(time ?? 1, 1) }
    let isWrite = StatementText.isWrite(sql)
    transactions[key]?.statements += 1
    transactions[key]?.writes += isWrite ? 1 : 0
    if ["INSERT", "UPDATE", "DELETE", "REPLACE"].contains(StatementCommand.name(of: sql)) {
      transactions[key]?.isBegun = true
    }
    transactions[key]?.time += time ?? 0
    let transaction = transactions[key]?.id ?? 0
    if case .end(let isCommit) = control { end(isCommit: isCommit, key) }
    let event = StatementRun(
      connectionID: key.connection, statementID: StatementID(sql: sql), runID: runID,
      transactionID: transaction, callerID: caller,
      bindHash: values.isEmpty ? 0 : StatementID(sql: values).rawValue, stepTime: time ?? 0,
      openTime: time ?? 0, rows: 0, changes: 0, isReadOnly: isWrite ? 0 : 1, memory: 0,
      reprepares: 0, filterHits: 0, filterMisses: 0, timedSteps: 1, error: "")
    append(.statementRun(event), request: key.request, hasTime: time != nil)
  }

  private mutating func begin(_ sql: String, _ key: Key) {
    if transactions.count >= Self.maxNames { transactions.removeAll() }
    transactionID += 1
    let words = sql.uppercased().split(separator: " ")
    let kind =
      words.count > 1 && ["IMMEDIATE", "EXCLUSIVE"].contains(words[1]) ? words[1] : "DEFERRED"
    transactions[key] = Transaction(id: transactionID, kind: kind.lowercased(), begin: now)
  }

  private mutating func end(isCommit: Bool, _ key: Key) {
    guard let transaction = transactions.removeValue(forKey: key) else { return }
    let total = isDated ? max(now - transaction.begin, 0) : transaction.time
    append(
      .transaction(
        TransactionEnded(
          storeID: key.connection, saveID: 0, outcome: isCommit ? "commit" : "rollback",
          waitTime: 0,
          totalTime: total, transactionID: transaction.id, kind: transaction.kind,
          writerTime: transaction.writes > 0 ? 0 : -1, statements: transaction.statements)),
      request: key.request)
  }

  private mutating func append(_ event: StoreEvent, request: Int64, hasTime: Bool = false) {
    var measures: Measures = [.commits]
    if hasTime { measures.formUnion([.totalTime, .connectionTime, .stepTime]) }
    if isDated { measures.insert(.timeOfDay) }
    records.append(
      EventRecord(
        timestamp: now, process: process, threadID: request, contextID: 0, event: event,
        measures: measures))
  }
}

/// The effect of a statement on the transaction of its connection; nil for others, and for
/// savepoints.
private enum TransactionControl: Equatable {
  case begin
  case end(isCommit: Bool)

  init?(_ sql: String) {
    let words = sql.prefix(40).uppercased().split(separator: " ")
    switch words.first {
    case "BEGIN": self = .begin
    case "COMMIT", "END": self = .end(isCommit: true)
    case "ROLLBACK" where !words.contains("TO"): self = .end(isCommit: false)
    default: return nil
    }
  }
}
