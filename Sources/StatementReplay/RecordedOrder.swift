// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A connection of a recorded process.
struct RecordedConnection: Hashable {
  var process: ProcessIdentity
  var id: UInt64
}

/// One recorded run, with its values where they are known.
struct RecordedRun {
  var connection: RecordedConnection
  /// "" if the recording lacks it.
  var sql: String
  var statement: StatementID
  var event: StatementRun
  var values: RecordedValues?
  /// In nanoseconds since 1970, where the recording has the clock's time.
  var start: Nanoseconds = 0
  /// The time that it waited for locks, before it read anything of the database.
  var waitTime: Nanoseconds = 0
}

extension RecordedRun {
  var end: Nanoseconds { start &+ event.openTime }

  /// The VM steps after which the program interrupted it.
  var interruption: UInt64? {
    ResultCode.recorded(event.error) == "SQLITE_INTERRUPT" ? event.counters.vmSteps : nil
  }
}

/// What a connection opened.
enum RecordedFile: Hashable {
  case path(String)
  /// A private database, in memory or temporary.
  case none
  /// A database in memory that the connections of the process to its name share.
  case memory(UInt64)

  init(_ event: ConnectionOpened) {
    if !event.path.isEmpty {
      self = .path(event.path)
    } else {
      self = event.device == 0 ? .none : .memory(event.device)
    }
  }
}

/// What happened to a connection.
enum RecordedStep {
  case open(RecordedConnection, RecordedFile)
  case close(RecordedConnection)
  case run(RecordedRun)
}

extension RecordedStep {
  var connection: RecordedConnection {
    switch self {
    case .open(let connection, _), .close(let connection): connection
    case .run(let run): run.connection
    }
  }

  /// Whether other connections may see more after it, or find locks gone.
  var endsWrites: Bool {
    switch self {
    case .open: return false
    case .close: return true
    case .run(let run):
      let name = StatementCommand.name(of: run.sql)
      return run.event.transactionID == 0 && run.event.isReadOnly == 0
        || ["COMMIT", "END", "ROLLBACK", "RELEASE"].contains(name)
    }
  }
}

/// Puts steps into the order in which the database saw them: a reader has the content of the moment at which it
/// began, and a writer's commit is there when it ended.
///
/// Events are written when runs end. Up to 4,096 steps are kept, so that a reader that ended among the
/// next ones can be put in front of them.
struct RecordedOrder {
  private static let capacity = 4096
  private var steps: [(key: Nanoseconds, step: RecordedStep)] = []
  /// The first one that is kept: those before it are removed together.
  private var head = 0

  mutating func add(
    _ step: RecordedStep, at time: Nanoseconds,
    _ body: (RecordedStep, Nanoseconds) throws -> Void
  ) rethrows {
    let key = Self.key(of: step, at: time)
    // From the end: most steps are in order.
    var index = steps.count
    while index > head, steps[index - 1].key > key { index -= 1 }
    steps.insert((key, step), at: index)
    guard steps.count - head > Self.capacity else { return }
    head += 1
    try body(steps[head - 1].step, steps[head - 1].key)
    if head == Self.capacity {
      steps.removeFirst(head)
      head = 0
    }
  }

  mutating func finish(_ body: (RecordedStep, Nanoseconds) throws -> Void) rethrows {
    for step in steps[head...] { try body(step.step, step.key) }
    steps.removeAll()
    head = 0
  }

  private static func key(of step: RecordedStep, at time: Nanoseconds) -> Nanoseconds {
    guard case .run(let run) = step, run.event.isReadOnly != 0,
      !StatementCommand.isTransactionControl(run.sql), StatementCommand.pragma(of: run.sql) == nil
    else { return time }
    return time &- run.event.openTime &+ run.waitTime
  }
}
