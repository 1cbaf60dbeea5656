// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis
import TraceReading

/// Programs that use one database, with the times of their events in milliseconds.
struct LockRuns {
  private var records: [EventRecord] = []
  private var nextRun: UInt64 = 1

  /// A program of one thread and one connection, to a file that another one may name otherwise.
  struct Program {
    var pid: Int64
    var name: String
  }

  mutating func open(
    _ pid: Int64, _ name: String, path: String = "/srv/app.db", inode: UInt64 = 7,
    connection: UInt64 = 1, library: String = "/usr/lib/libsqlite3.so.0",
    version: String = "3.51.3", fileSystem: String = "", line: UInt64 = 0, at time: Double = 0
  ) -> Program {
    let program = Program(pid: pid, name: name)
    if line > 0 { announce(line, of: program, at: time) }
    append(
      .connectionOpened(
        ConnectionOpened(
          connectionID: connection, path: path, vfs: "unix", flags: 0, sqliteVersion: version,
          sqlitePath: library, way: "got", device: 1, inode: inode,
          processStart: pid, processName: name, fileSystem: fileSystem,
          callerID: line)), of: program, at: time)
    return program
  }

  /// A run that begins, and that no event follows if it does not end.
  mutating func begin(_ sql: String, line: UInt64, of program: Program, at time: Double) {
    let id = StatementID(sql: sql)
    append(
      .statement(StatementAnnounced(storeID: 1, statementID: id, sql: sql)), of: program, at: time)
    announce(line, of: program, at: time)
  }

  private mutating func announce(_ line: UInt64, of program: Program, at time: Double) {
    append(
      .caller(
        CallerAnnounced(
          callerID: line, language: "python", file: "\(program.name).py", line: line,
          function: "main", frames: "")), of: program, at: time)
  }

  mutating func close(_ connection: UInt64, of program: Program, at time: Double = 0) {
    append(.connectionClosed(ConnectionClosed(connectionID: connection)), of: program, at: time)
  }

  /// A line's operation on the file of a database beside SQLite.
  mutating func touch(
    _ operation: String, _ file: String, line: UInt64, of program: Program,
    connection: UInt64 = 1, at time: Double
  ) {
    append(
      .caller(
        CallerAnnounced(
          callerID: line, language: "python", file: "\(program.name).py", line: line,
          function: "main", frames: "")), of: program, at: time)
    append(
      .databaseFileTouched(
        DatabaseFileTouched(
          connectionID: connection, operation: operation, file: file,
          path: "/srv/app.db" + (file == "database" ? "" : "-\(file)"), device: 1, inode: 7,
          callerID: line)), of: program, at: time)
  }

  /// A run that ended at a time and began `open` before.
  mutating func run(
    _ sql: String, line: UInt64, of program: Program, at time: Double, open: Double = 0,
    transaction: UInt64 = 0, writes: Bool? = nil, rows: UInt64 = 0, changes: UInt64 = 1,
    bindHash: UInt64 = 1, connection: UInt64 = 1,
    busy: (attempts: UInt64, wait: Double)? = nil, error: String = "", prepare: Double = 0,
    vmSteps: UInt64 = 20
  ) {
    if let busy {
      append(
        .busy(
          BusyWaited(
            storeID: 1, attempts: busy.attempts, waitTime: Self.nanoseconds(busy.wait),
            gaveUp: error.isEmpty ? 0 : 1)), of: program, at: time)
    }
    begin(sql, line: line, of: program, at: time)
    let id = StatementID(sql: sql)
    let isControl = ["BEGIN", "COMMIT"].contains { sql.hasPrefix($0) }
    let writes = writes ?? !(sql.hasPrefix("SELECT") || sql == "BEGIN" || sql == "COMMIT")
    append(
      .statementRun(
        StatementRun(
          connectionID: connection, statementID: id, runID: nextRun, transactionID: transaction,
          callerID: line, bindHash: bindHash, stepTime: Self.nanoseconds(open),
          openTime: Self.nanoseconds(open), rows: rows,
          changes: writes && !isControl && error.isEmpty ? changes : 0, isReadOnly: writes ? 0 : 1,
          counters: StatementCounters(vmSteps: isControl ? 3 : vmSteps), memory: 0,
          reprepares: 0, filterHits: 0, filterMisses: 0, timedSteps: 1,
          error: error, prepareTime: Self.nanoseconds(prepare))), of: program, at: time)
    nextRun += 1
  }

  /// The cost of the next commit on the program's thread.
  mutating func cost(_ commit: CommitIO, of program: Program, at time: Double) {
    append(.commitIO(commit), of: program, at: time)
  }

  /// The file operations of the next run on the program's thread.
  mutating func files(_ io: StatementIO, of program: Program, at time: Double) {
    var io = io
    io.runID = io.runID == 0 ? 0 : nextRun
    append(.statementIO(io), of: program, at: time)
  }

  /// A checkpoint within the run that follows.
  mutating func checkpoint(_ done: UInt64, of frames: UInt64, by program: Program, at time: Double)
  {
    append(
      .checkpoint(
        CheckpointDone(
          storeID: 1, mode: "passive", logFrames: frames, checkpointedFrames: done,
          totalTime: Self.nanoseconds(1))), of: program, at: time)
  }

  /// A transaction that ended at a time; its last statement follows.
  mutating func end(
    _ transaction: UInt64, of program: Program, at time: Double, total: Double,
    kind: String = "immediate", writer: Double? = 0, idle: Double = 0, outcome: String = "commit",
    log: UInt64 = 0, received: UInt64 = 0
  ) {
    append(
      .transaction(
        TransactionEnded(
          storeID: 1, saveID: 0, outcome: outcome, waitTime: 0, totalTime: Self.nanoseconds(total),
          transactionID: transaction, kind: kind, writerTime: writer.map(Self.nanoseconds) ?? -1,
          statements: 3, idleTime: Self.nanoseconds(idle), logBytes: log,
          received: received)), of: program, at: time)
  }

  /// A whole immediate transaction with one INSERT, of more rows than a loop for each row has.
  mutating func transaction(
    _ id: UInt64, line: UInt64 = 20, of program: Program, from start: Double, to end: Double,
    idle: Double = 0, changes: UInt64 = 9
  ) {
    run("BEGIN IMMEDIATE", line: line, of: program, at: start, transaction: id)
    run(
      "INSERT INTO t VALUES (?)", line: line + 1, of: program, at: start, transaction: id,
      changes: changes)
    self.end(id, of: program, at: end, total: end - start, idle: idle)
    run("COMMIT", line: line + 2, of: program, at: end, transaction: id)
  }

  /// A save of a store.
  mutating func save(
    _ id: UInt64, line: UInt64, of program: Program, path: String, from start: Double,
    to end: Double, wait: Double = 0
  ) {
    let location = SourceLocation(file: "\(program.name).swift", line: line)
    append(
      .storeOpened(
        StoreOpened(
          storeID: 1, path: path, journalMode: "wal", pageSize: 4096, sqliteVersion: "3.40.1",
          processStart: program.pid, processName: program.name)), of: program, at: 0)
    append(
      .saveBegin(SaveBegin(saveID: id, inserted: 1, updated: 0, deleted: 0, location: location)),
      of: program, at: start)
    append(
      .transaction(
        TransactionEnded(
          storeID: 1, saveID: id, outcome: "commit", waitTime: Self.nanoseconds(wait),
          totalTime: Self.nanoseconds(end - start), transactionID: id, kind: "exclusive",
          writerTime: Self.nanoseconds(wait), statements: 3)), of: program, at: end)
  }

  var profile: Profile { timed.profile }

  var timed: TimedProfile {
    var builder = ProfileBuilder(isTimed: true)
    let ordered = records.enumerated().sorted {
      ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
    }
    for (_, record) in ordered { builder.add(record) }
    return builder.timedProfile(of: ReadingReport(sources: []))
  }

  /// The rules that report something, with the lines that they name.
  var findings: [String] {
    profile.findings.map { "\($0.rule) \($0.caller.line)" }
  }

  private mutating func append(_ event: StoreEvent, of program: Program, at time: Double) {
    records.append(
      EventRecord(
        timestamp: Self.nanoseconds(time), process: .init(id: program.pid, name: program.name),
        threadID: program.pid, contextID: 0, event: event))
  }

  private static func nanoseconds(_ milliseconds: Double) -> Nanoseconds {
    Nanoseconds(milliseconds * 1e6)
  }
}
