// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// The reports of the probe, while they are folded.
struct ObservedTally {
  var profile = ObservedProfile()
  var callers = CallerNames()
  var loops = LoopDetector()
  var tests = TestTally()
  private var roles: [StatementID: LoopDetector.Role] = [:]
  /// The runs of each connection.
  private var runs: [ProfileBuilder.Key: UInt64] = [:]
  /// The hash of a statement's form, in which literals are `?`, by statement.
  private var forms: [StatementID: UInt64] = [:]
  /// Whether its rows alone decide the result of a statement.
  private var constants: [StatementID: Bool] = [:]
  /// Whether a statement may be none of the program's own; see ``ProfileBuilder/isLeftOut``.
  private var strangers: [StatementID: Bool] = [:]

  /// The form of a statement; its own id where the text is unknown.
  mutating func form(of statement: StatementID, _ sql: String?) -> UInt64 {
    Self.fact(of: statement, sql, in: &forms) {
      StatementID(sql: SQLFingerprint(sql: $0).description).rawValue
    } ?? statement.rawValue
  }

  /// Whether it may be a marker of a test, or is a driver's PRAGMA.
  mutating func mayBeLeftOut(_ statement: StatementID, _ sql: String) -> Bool {
    Self.fact(of: statement, sql, in: &strangers) { TestMarker.mayBe($0) || isDriverPragma($0) }
      ?? false
  }

  /// The role that a statement may have in a loop.
  mutating func role(of statement: StatementID, _ sql: String?) -> LoopDetector.Role {
    Self.fact(of: statement, sql, in: &roles, LoopDetector.Role.init) ?? .ofOneRow
  }

  /// The hash of a run's values; 1 for a text without parameters, if its rows alone decide the result.
  mutating func valuesHash(of run: StatementRun, _ sql: String?) -> UInt64 {
    guard run.bindHash == 0 else { return run.bindHash }
    let isConstant = Self.fact(
      of: run.statementID, sql, in: &constants, StatementCommand.isConstant)
    return isConstant == true ? 1 : 0
  }

  /// A fact computed from a statement's text, once; nil if the text is unknown.
  private static func fact<Fact>(
    of statement: StatementID, _ sql: String?, in known: inout [StatementID: Fact],
    _ compute: (String) -> Fact
  ) -> Fact? {
    if let fact = known[statement] { return fact }
    guard let sql else { return nil }
    let fact = compute(sql)
    if known.count < Bounds.statements { known[statement] = fact }
    return fact
  }

  /// The number of a run on its connection.
  mutating func count(on connection: ProfileBuilder.Key) -> UInt64 {
    if runs.count >= Bounds.contexts, runs[connection] == nil { runs.removeAll() }
    func next(_ number: inout UInt64) -> UInt64 {
      number.add(1)
      return number
    }
    return next(&runs[connection, default: 0])
  }

  mutating func add(_ copy: CopyNotObserved) {
    let copy = UnobservedCopy(
      path: copy.sqlitePath, version: copy.sqliteVersion, reason: copy.reason)
    guard profile.copiesNotObserved.count < Bounds.stores,
      !profile.copiesNotObserved.contains(copy)
    else { return }
    profile.copiesNotObserved.append(copy)
  }

  /// The profile; nil if the probe reported nothing.
  mutating func finish() -> ObservedProfile? {
    profile.loops = loops.finish()
    profile.tests = tests.finish()
    profile.testProcesses = tests.processes
    profile.functions = callers.functionsOfLines
    return profile == ObservedProfile() ? nil : profile
  }
}

extension ProfileBuilder {
  mutating func add(_ event: ConnectionOpened) {
    measured.formUnion(currentMeasures.intersection(.run))
    observed.profile.connections.add(1)
    if event.adopted != 0 {
      observed.profile.adoptedConnections = (observed.profile.adoptedConnections ?? 0) + 1
    }
    let store = StoreProfile(
      path: event.path, journalMode: "", pageSize: 0, sqliteVersion: event.sqliteVersion)
    if stores.count < Bounds.stores, !stores.contains(store) { stores.append(store) }
    if openedFiles.count < Bounds.stores, let file = OpenedDatabase(event),
      !openedFiles.contains(file)
    {
      openedFiles.append(file)
    }
  }

  mutating func add(_ run: StatementRun, of record: EventRecord, in process: Int) {
    locks.unended.end(run, in: process)
    let sql = texts[run.statementID]
    if let sql, isLeftOut(run, sql, of: record, in: process) { return }
    databases.add(run, in: process)
    let location = observed.callers.location(of: run, in: record)
    locks.risks.run(on: Key(process: process, id: run.connectionID), at: location)
    let form = observed.form(of: run.statementID, sql)
    io.add(
      run, LockSite(statement: run.statementID, sql: sql, location: location, count: 1),
      on: Key(thread: record, in: process))
    locks.add(run, sql, at: location, record, in: process, form: form)
    let waits = pendingBusy.remove(Key(thread: record, in: process))
    guard filter.includes(run, from: location) else { return }
    let measures = currentMeasures
    measured.formUnion(measures.intersection(.run))
    if observed.tests.isRunning(in: process) {
      observed.tests.add(run, sql, form: form, from: location, in: process)
    }
    observed.profile.runs.add(1)
    observed.profile.rows.add(run.rows)
    observed.profile.changes.add(run.changes)
    if run.rows >= LoopDetector.minRuns, run.listID == 0, measures.contains(.rows) {
      observed.profile.listsOfUnknownValues = (observed.profile.listsOfUnknownValues ?? 0) + 1
    }
    totals.connectionTime.add(run.stepTime &+ run.prepareTime)
    totals.totalTime.add(run.stepTime &+ run.prepareTime)
    if !run.error.isEmpty { totals.errors.add(1) }
    timeline?.add(run, from: location)
    let generation = process < commits.count ? commits[process] : 0
    let values = RepeatTally.Values(
      process: process, connection: run.connectionID, hash: observed.valuesHash(of: run, sql))
    let moment = RepeatTally.Moment(
      number: observed.count(on: Key(process: process, id: run.connectionID)),
      time: record.timestamp)
    let host = processes.profiles[process].identity.host
    let origin = origins.index(ofConnection: run.connectionID, in: process, host: host)
    addForm(run.statementID, from: origin) { $0.add(run, waits, measures) }
    databases.add(run, measures, at: location, in: process)
    statements.update(run.statementID) {
      StatementTally(entity: "")
    } _: {
      $0.add(
        run, from: location, values: values, at: moment, generation: generation, waits: waits,
        measures)
    }
    contexts.update(currentContext, make: ContextTally.init) { $0.add(run, measures) }
    if run.changes > 0 { countCommit(of: process) }
    findLoops(run, record, at: location, in: process, origin)
  }

  /// Counts the runs before the second database was opened.
  mutating func countRunsOfFirstDatabase() {
    for (id, statement) in zip(statements.keys, statements.values) {
      for (location, caller) in zip(statement.callers.keys, statement.callers.values) {
        databases.add(caller.work, of: id, at: location)
      }
    }
  }

  /// Handles statements that are not the program's own: markers of tests, and drivers' PRAGMAs that
  /// succeeded.
  private mutating func isLeftOut(
    _ run: StatementRun, _ sql: String, of record: EventRecord, in process: Int
  ) -> Bool {
    guard observed.mayBeLeftOut(run.statementID, sql) else { return false }
    if let marker = TestMarker(sql) {
      observed.tests.begin(marker, in: process)
      return true
    }
    guard run.error.isEmpty, isDriverPragma(sql) else { return false }
    observed.profile.driverPragmas.add(1)
    if RiskTally.isRisky(sql),
      locks.databases.isInFile(Key(process: process, id: run.connectionID))
    {
      let location = observed.callers.location(of: run, in: record)
      locks.risks.addSetting(
        LockSite(statement: run.statementID, sql: sql, location: location, count: 1))
    }
    return true
  }

  private mutating func findLoops(
    _ run: StatementRun, _ record: EventRecord, at location: SourceLocation,
    in process: Int, _ origin: Int
  ) {
    let hasRows = record.measures.contains(.rows)
    guard run.statementID != Bounds.restOfStatements,
      !hasRows || run.listID != 0 || run.originID != 0 || observed.loops.hasLines
    else { return }
    let key = Key(process: process, id: run.connectionID)
    let connection = LoopDetector.Connection(
      process: process, id: run.connectionID,
      database: locks.databases.isInMemory(key)
        ? -1 - Int(truncatingIfNeeded: run.connectionID) : origin)
    let sql = texts[run.statementID]
    let form = observed.form(of: run.statementID, sql)
    let observedRun = LoopDetector.Run(
      site: .init(form: form, location: location), connection: connection,
      thread: UInt64(bitPattern: record.threadID), statement: run.statementID, rows: run.rows,
      bindHash: run.bindHash, time: run.stepTime, isReadOnly: run.isReadOnly != 0,
      listID: run.listID, originID: run.originID, originRow: run.originRow,
      ownValues: run.ownValues)
    if !hasRows {
      return loggedLoops.add(
        observedRun, on: Key(process: connection.process, id: observedRun.thread))
    }
    switch observed.role(of: run.statementID, sql) {
    case .ofSchema: return
    case .ofSeveralRows where run.ownValues > 0: return
    default: observed.loops.add(observedRun)
    }
  }
}

extension StatementTally {
  mutating func add(
    _ run: StatementRun, from location: SourceLocation, values: RepeatTally.Values,
    at moment: RepeatTally.Moment, generation: UInt64, waits: LockWaits?, _ measures: Measures
  ) {
    observedRuns.add(1)
    // A statement that writes is never a repeat.
    if run.isReadOnly != 0 {
      repeats.add(values, generation: generation, time: run.stepTime, at: moment)
    }
    let connection = ProfileBuilder.Key(process: values.process, id: values.connection)
    let isRecompiled = run.prepareTime > 0 && lastCompiled == connection
    if run.prepareTime > 0 { lastCompiled = connection }
    callers.update(location, make: CallerTally.init) {
      $0.add(run, waits, measures)
      if isRecompiled { $0.work.recompiled.add(1) }
    }
  }
}

extension CallerTally {
  mutating func add(_ run: StatementRun, _ waits: LockWaits?, _ measures: Measures) {
    work.add(run, measures)
    if let waits { work.add(waits, of: run) }
    if measures.contains(.totalTime) { durations.record(run.stepTime) }
  }
}
