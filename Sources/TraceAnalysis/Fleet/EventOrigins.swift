// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The origins of the events of a stream, for exports that write events one by one.
public struct EventOrigins {
  /// The origin of an event, and its process.
  public struct Origin: Hashable, Sendable {
    /// Where it ran; the database is "" for events without one.
    public var profile: OriginProfile
    /// Distinguishes processes that had one id one after the other.
    public var processStart: Nanoseconds
  }

  private var processes = ProcessTable()
  private var origins = OriginTable()
  private var labelled: [Int: OriginProfile] = [:]
  private let labels: [String: String]

  /// - Parameter labels: the stream's labels from `record --label`.
  public init(labels: [String: String]) { self.labels = labels }

  /// The origin of an event; call it for each event, in their order.
  public mutating func origin(of record: EventRecord) -> Origin {
    let process = processes.index(of: record, as: ProcessTable.Role(record.event))
    let host = record.process.host
    let context = ProfileBuilder.Key(process: process, id: record.contextID)
    let index: Int
    switch record.event {
    case .storeOpened(let event):
      origins.add(event, record, in: process)
      index = origins.index(ofContext: context, host: host)
    case .connectionOpened(let event):
      origins.add(event, record, in: process)
      index = origins.index(
        ofConnection: event.connectionID, in: process, host: host)
    case .contextCreated(let event):
      origins.add(event, context)
      index = origins.index(ofContext: context, host: host)
    case .statementRun(let run):
      index = origins.index(
        ofConnection: run.connectionID, in: process, host: host)
    case .transaction(let event):
      index = origins.index(ofStoreOrConnection: event.storeID, context, host: host)
    case .busy(let event):
      index = origins.index(ofStoreOrConnection: event.storeID, context, host: host)
    case .checkpoint(let event):
      index = origins.index(ofStoreOrConnection: event.storeID, context, host: host)
    default: index = origins.index(ofContext: context, host: host)
    }
    return Origin(
      profile: origin(index), processStart: processes.profiles[process].start ?? 0)
  }

  private mutating func origin(_ index: Int) -> OriginProfile {
    if let known = labelled[index] { return known }
    let origin = (origins.origin(index) ?? OriginProfile()).labelled(labels)
    labelled[index] = origin
    return origin
  }
}
