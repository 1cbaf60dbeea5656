// SPDX-License-Identifier: Apache-2.0

extension StoreEvent {
  /// The event's fields.
  @inlinable
  public var payload: any EventPayload {
    switch self {
    case .storeOpened(let payload): payload
    case .contextCreated(let payload): payload
    case .statement(let payload): payload
    case .values(let payload): payload
    case .fetchBegin(let payload): payload
    case .fetchEnd(let payload): payload
    case .fault(let payload): payload
    case .cacheMiss(let payload): payload
    case .saveBegin(let payload): payload
    case .saveEnd(let payload): payload
    case .transaction(let payload): payload
    case .checkpoint(let payload): payload
    case .busy(let payload): payload
    case .counters(let payload): payload
    case .statementIO(let payload): payload
    case .commitIO(let payload): payload
    case .connectionOpened(let payload): payload
    case .connectionClosed(let payload): payload
    case .copyNotObserved(let payload): payload
    case .caller(let payload): payload
    case .statementRun(let payload): payload
    }
  }

  /// The event's name in the provider, such as `fetch_end`.
  public var name: String { "\(type(of: payload).name)" }

  /// Reads the event of a kind.
  ///
  /// - Throws: ``EventFieldError`` if a field is missing or is not of its type.
  @inlinable
  public init(
    _ kind: Kind, from fields: inout some EventFieldReader
  ) throws(EventFieldError) {
    self =
      switch kind {
      case .storeOpened: .storeOpened(try StoreOpened(from: &fields))
      case .contextCreated: .contextCreated(try ContextCreated(from: &fields))
      case .statement: .statement(try StatementAnnounced(from: &fields))
      case .values: .values(try ValuesBound(from: &fields))
      case .fetchBegin: .fetchBegin(try FetchBegin(from: &fields))
      case .fetchEnd: .fetchEnd(try FetchEnd(from: &fields))
      case .fault: .fault(try FaultFired(from: &fields))
      case .cacheMiss: .cacheMiss(try CacheMiss(from: &fields))
      case .saveBegin: .saveBegin(try SaveBegin(from: &fields))
      case .saveEnd: .saveEnd(try SaveEnd(from: &fields))
      case .transaction: .transaction(try TransactionEnded(from: &fields))
      case .checkpoint: .checkpoint(try CheckpointDone(from: &fields))
      case .busy: .busy(try BusyWaited(from: &fields))
      case .counters: .counters(try CountersSampled(from: &fields))
      case .statementIO: .statementIO(try StatementIO(from: &fields))
      case .commitIO: .commitIO(try CommitIO(from: &fields))
      case .connectionOpened: .connectionOpened(try ConnectionOpened(from: &fields))
      case .connectionClosed: .connectionClosed(try ConnectionClosed(from: &fields))
      case .copyNotObserved: .copyNotObserved(try CopyNotObserved(from: &fields))
      case .caller: .caller(try CallerAnnounced(from: &fields))
      case .statementRun: .statementRun(try StatementRun(from: &fields))
      }
  }

  /// The kinds of event; the raw value is the name on the wire.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    // Emitted by the store, and some of them by the probe as well.
    case storeOpened = "store_opened"
    case contextCreated = "context_created"
    case statement
    case values
    case fetchBegin = "fetch_begin"
    case fetchEnd = "fetch_end"
    case fault
    case cacheMiss = "cache_miss"
    case saveBegin = "save_begin"
    case saveEnd = "save_end"
    case transaction
    case checkpoint
    case busy
    case counters
    case statementIO = "statement_io"
    case commitIO = "commit_io"
    // Emitted by the probe alone.
    case connectionOpened = "connection_opened"
    case connectionClosed = "connection_closed"
    case copyNotObserved = "copy_not_observed"
    case caller
    case statementRun = "statement_run"
  }

  /// Whether only the probe emits the event.
  public var isOfProbeAlone: Bool {
    switch self {
    case .connectionOpened, .connectionClosed, .copyNotObserved, .caller, .statementRun: true
    default: false
    }
  }

  /// The event's kind.
  public var kind: Kind {
    switch self {
    case .storeOpened: .storeOpened
    case .contextCreated: .contextCreated
    case .statement: .statement
    case .values: .values
    case .fetchBegin: .fetchBegin
    case .fetchEnd: .fetchEnd
    case .fault: .fault
    case .cacheMiss: .cacheMiss
    case .saveBegin: .saveBegin
    case .saveEnd: .saveEnd
    case .transaction: .transaction
    case .checkpoint: .checkpoint
    case .busy: .busy
    case .counters: .counters
    case .statementIO: .statementIO
    case .commitIO: .commitIO
    case .connectionOpened: .connectionOpened
    case .connectionClosed: .connectionClosed
    case .copyNotObserved: .copyNotObserved
    case .caller: .caller
    case .statementRun: .statementRun
    }
  }
}
