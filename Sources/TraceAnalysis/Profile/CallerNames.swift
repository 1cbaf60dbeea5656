// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The lines of code of the caller ids of each process, in bounded memory.
public struct CallerNames {
  private var locations: [Key: SourceLocation] = [:]
  private var functions: [SourceLocation: String] = [:]
  private var helpers: [SourceLocation: String] = [:]
  private var lastLines: [Site: LastLine] = [:]
  private var lines: [ProcessStatement: Lines] = [:]
  private var processes: [Process: Int] = [:]
  /// The process of the last record, and its number.
  private var last = (process: Process(pid: -1, host: ""), number: 0)
  // 100,000 is arbitrary: far more lines than a program runs SQL from.
  private static let maxCallers = 100_000

  private struct Process: Hashable {
    var pid: Int64
    var host: String
  }

  /// A statement of a process.
  private struct ProcessStatement: Hashable {
    var process: Int
    var statement: StatementID
  }

  /// A statement on a thread.
  private struct Site: Hashable {
    var statement: ProcessStatement
    var thread: Int64
  }

  private struct LastLine {
    var location: SourceLocation
    /// Runs without a caller since the thread began.
    var assumedRuns: UInt64 = 0
  }

  /// The lines that ran a statement.
  private enum Lines: Equatable {
    case one(SourceLocation)
    case several
  }

  private struct Key: Hashable {
    var process: Int
    var caller: UInt64
  }

  /// Makes an empty table.
  public init() {}

  /// Stores the line of a caller id.
  public mutating func add(_ caller: CallerAnnounced, of record: EventRecord) {
    let key = key(caller.callerID, record)
    guard locations.count < Self.maxCallers || locations[key] != nil else { return }
    locations[key] = caller.location
    if let helper = caller.helper {
      helpers[caller.location] = min(helpers[caller.location] ?? helper, helper)
    }
    let function = CallerFunction.normalized(caller.function)
    guard !caller.file.isEmpty, !function.isEmpty else { return }
    // Two functions may share a line; the order of processes must not matter.
    functions[caller.location] = min(functions[caller.location] ?? function, function)
  }

  /// The functions and helpers of the lines, in the order of the files; nil where no source names any.
  var functionsOfLines: [CallerFunction]? {
    let lines = Set(functions.keys).union(helpers.keys)
    guard !lines.isEmpty else { return nil }
    return lines.map {
      CallerFunction(location: $0, function: functions[$0] ?? "", helper: helpers[$0])
    }.sorted { ($0.location.file, $0.location.line) < ($1.location.file, $1.location.line) }
  }

  /// The line that ran a statement, or `SourceLocation.unknown`.
  ///
  /// The probe does not look up each caller that is expensive. A run without one counts for the line that
  /// the thread ran the statement from before, or for the only line of the process that ran it.
  public mutating func location(of run: StatementRun, in record: EventRecord) -> SourceLocation {
    let statement = ProcessStatement(process: number(record), statement: run.statementID)
    let site = Site(statement: statement, thread: record.threadID)
    guard run.callerID != 0 else { return assumedLocation(site) }
    let location = locations[key(run.callerID, record)] ?? .unknown
    if let last = lastLines[site], last.location == location { return location }
    if lastLines.count < Self.maxCallers || lastLines[site] != nil {
      lastLines[site, default: LastLine(location: location)].location = location
    }
    add(location, of: statement)
    return location
  }

  /// The line of a caller id, or `SourceLocation.unknown`.
  public mutating func location(ofCaller id: UInt64, in record: EventRecord) -> SourceLocation {
    locations[key(id, record)] ?? .unknown
  }

  private mutating func assumedLocation(_ site: Site) -> SourceLocation {
    if let location = lastLines[site]?.location {
      lastLines[site]?.assumedRuns.add(1)
      return location
    }
    guard case .one(let location) = lines[site.statement] else { return .unknown }
    if lastLines.count < Self.maxCallers {
      lastLines[site] = LastLine(location: location, assumedRuns: 1)
    }
    return location
  }

  private mutating func add(_ location: SourceLocation, of statement: ProcessStatement) {
    guard location != .unknown else { return }
    if let known = lines[statement] {
      if known != .one(location) { lines[statement] = .several }
    } else if lines.count < Self.maxCallers {
      lines[statement] = .one(location)
    }
  }

  // 5 is arbitrary: fewer statements may well be of one function.
  private static let minStatementsOfHelper = 5

  /// Names a line of Python that runs most statements, as a helper does; nil without one.
  var helperRemark: String? {
    var statements: [SourceLocation: Set<StatementID>] = [:]
    for case (let statement, .one(let location)) in lines where location.file.hasSuffix(".py") {
      statements[location, default: []].insert(statement.statement)
    }
    let all = Set(lines.keys.map(\.statement)).count
    guard let helper = statements.first(where: { 2 * $0.value.count > all }),
      helper.value.count >= Self.minStatementsOfHelper
    else { return nil }
    return
      "\(helper.value.count) of \(all) statements come from \(helper.key.file):\(helper.key.line). If that "
      + "is a helper, STORE_CALLERS_SKIP=\(helper.key.file) records the lines that call it."
  }

  /// States which counts of lines are estimates; nil if none is.
  var remark: String? {
    var runs: UInt64 = 0
    var statements: Set<StatementID> = []
    for (site, last) in lastLines
    where last.assumedRuns > 0 && lines[site.statement] == .several {
      runs.add(last.assumedRuns)
      statements.insert(site.statement.statement)
    }
    guard runs > 0 else { return nil }
    return
      "The callers of \(runs.counted("run")) of \(statements.count.counted("statement")) with several "
      + "lines were not looked up. They count for the line before: the counts of these lines are "
      + "estimates. STORE_CALLERS=all looks up each caller."
  }

  private mutating func key(_ caller: UInt64, _ record: EventRecord) -> Key {
    Key(process: number(record), caller: caller)
  }

  /// The number of a record's process; records of one process follow each other.
  private mutating func number(_ record: EventRecord) -> Int {
    let process = Process(pid: record.process.id, host: record.process.host)
    if process != last.process {
      let number = processes[process] ?? processes.count
      processes[process] = number
      last = (process, number)
    }
    return last.number
  }
}

extension CallerAnnounced {
  /// The program's helper through which the line runs statements, such as `db.py:5`; nil without one.
  var helper: String? { language == "native" || frames.isEmpty ? nil : frames }

  /// The line; without debug information the name of the function is used instead of the file.
  public var location: SourceLocation {
    if !file.isEmpty { return SourceLocation(file: file, line: line) }
    return SourceLocation(file: function, line: 0)
  }
}
