// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

extension RunBuilder {
  /// A connection that the probe observes.
  public mutating func connect(
    path: String = "app.db", connection: UInt64 = 1, sqliteVersion: String = "3.40.1"
  ) {
    append(
      .connectionOpened(
        ConnectionOpened(
          connectionID: connection, path: path, vfs: "unix", flags: 0, sqliteVersion: sqliteVersion,
          sqlitePath: "/usr/lib/libsqlite3.so.0", way: "got", device: 1,
          // One file for each name.
          inode: path.utf8.reduce(2) { $0 &* 31 &+ UInt64($1) },
          processStart: 1, processName: "python3 app.py")))
  }

  public mutating func disconnect(_ connection: UInt64) {
    append(.connectionClosed(ConnectionClosed(connectionID: connection)))
  }

  /// A line of Python, which runs refer to by number.
  public mutating func caller(
    _ id: UInt64, line: UInt64, function: String = "books", file: String = "app.py",
    helper: String = ""
  ) {
    append(
      .caller(
        CallerAnnounced(
          callerID: id, language: "python", file: file, line: line, function: function,
          frames: helper)))
  }

  /// A run that the probe reports, its statement announced; it began `open` ago.
  public mutating func run(
    _ sql: String, caller: UInt64 = 0, rows: UInt64 = 1, changes: UInt64 = 0,
    bindHash: UInt64 = 0, step: Nanoseconds = 100, open: Nanoseconds = 100,
    vmSteps: UInt64 = 10, fullScanSteps: UInt64 = 0, autoIndexRows: UInt64 = 0, sorts: UInt64 = 0,
    error: String = "", prepare: Nanoseconds = 0,
    thread: Int64 = 1, connection: UInt64 = 1, transaction: UInt64 = 0,
    list: UInt64? = nil, origin: UInt64 = 0, row: UInt64 = 0, own: UInt64 = 0
  ) {
    announce(sql)
    let list = list ?? (rows > 1 ? 1_000_000 + UInt64(records.count) : 0)
    append(
      .statementRun(
        StatementRun(
          connectionID: connection, statementID: StatementID(sql: sql), runID: 1,
          transactionID: transaction,
          callerID: caller, bindHash: bindHash, stepTime: step, openTime: open, rows: rows,
          changes: changes, isReadOnly: changes == 0 ? 1 : 0,
          counters: StatementCounters(
            vmSteps: vmSteps, fullScanSteps: fullScanSteps, sorts: sorts,
            autoIndexRows: autoIndexRows), memory: 0,
          reprepares: 0,
          filterHits: 0, filterMisses: 0, timedSteps: rows &+ 1, error: error,
          prepareTime: prepare, listID: list, originID: origin, originRow: row, ownValues: own)),
      thread: thread)
  }

  /// A run with the values of a row of a list, from 1, as the probe finds them in the first 32 rows.
  public mutating func run(
    _ sql: String, caller: UInt64 = 0, forRow row: Int, of origin: UInt64, rows: UInt64 = 1,
    changes: UInt64 = 0, own: UInt64 = 0, thread: Int64 = 1, connection: UInt64 = 1,
    list: UInt64? = nil
  ) {
    let isKept = row <= 32
    run(
      sql, caller: caller, rows: rows, changes: changes,
      bindHash: sql.contains("?") ? origin &* 1000 &+ UInt64(row) : 0, thread: thread,
      connection: connection, list: list, origin: isKept ? origin : 0,
      row: isKept ? UInt64(row) : 0, own: isKept ? own : 0)
  }
}
