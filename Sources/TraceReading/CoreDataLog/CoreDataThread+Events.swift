// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Turns the fetches and saves of a thread into events, once the line after them has identified
/// them.
extension CoreDataThread {
  func emit(_ events: [(Nanoseconds, StoreEvent)]) {
    records += events.map { record($1, at: $0) }
  }

  func emit(_ fetch: CoreDataFetch) {
    let end = record(.fetchEnd(fetch.ending), at: fetch.end, without: fetch.unknown)
    buffer(beginning(of: fetch) + fetch.held + [end], within: fetch.parentID)
    if fetch.parentID == 0 { lastFetchID = fetch.id }
  }

  private func beginning(of fetch: CoreDataFetch) -> [EventRecord] {
    guard !fetch.hasBegun else { return [] }
    return announcement(of: fetch) + [record(.fetchBegin(fetch.beginning), at: fetch.begin)]
  }

  /// The statement, if it is met for the first time, and the values of this run.
  private func announcement(of fetch: CoreDataFetch) -> [EventRecord] {
    let values = fetch.bound.map { [record($0, at: fetch.begin)] } ?? []
    guard !fetch.sql.text.isEmpty, process.announces(fetch.statementID) else { return values }
    let announced = StatementAnnounced(
      storeID: 0, statementID: fetch.statementID, sql: fetch.sql.text)
    return [record(.statement(announced), at: fetch.begin)] + values
  }

  /// Core Data does not log which fetch made an object: the last one is the likeliest.
  func emitFault(_ entity: String, pk: Int64, relationship: String) -> Bool {
    guard let fetch = completed ?? popUntimed() else { return countIfLate() }
    completed = nil
    let duration = fetch.ending.totalTime
    let miss = CacheMiss(
      entity: entity, pk: pk, relationship: relationship, duration: duration,
      statementID: fetch.statementID, vmSteps: 0, fullScanSteps: 0, originFetchID: lastFetchID)
    let fault = FaultFired(
      entity: entity, pk: pk, relationship: relationship, source: .database, duration: duration,
      rows: fetch.rows, originFetchID: lastFetchID, origin: .unknown)
    buffer(
      announcement(of: fetch) + fetch.held
        + [
          record(.cacheMiss(miss), at: fetch.end, without: fetch.unknown),
          record(.fault(fault), at: fetch.end, without: fetch.unknown),
        ],
      within: fetch.parentID)
    return true
  }

  /// Buffers events until it is known whether the fetch that contains them is a fetch.
  private func buffer(_ events: [EventRecord], within parentID: UInt64) {
    guard let index = open.firstIndex(where: { $0.id == parentID }) else {
      records += events
      return
    }
    open[index].held += events
    guard open[index].held.count > Self.maxHeld else { return }
    let fetch = open[index]
    open[index].held = []
    open[index].hasBegun = true
    buffer(beginning(of: fetch) + fetch.held, within: fetch.parentID)
  }

  func abandonOldest() {
    let fetch = open.removeFirst()
    let hasEnded = fetch.hasRows || fetch.connectionTime == nil
    records += beginning(of: fetch) + fetch.held
    // A log may have no times at all; its statements still ran.
    guard hasEnded else { return }
    records.append(record(.fetchEnd(fetch.ending), at: fetch.end, without: fetch.unknown))
  }

  /// - Parameter unknown: the measures of a fetch or a fault that the log lacks; other events have
  ///   none of them.
  private func record(
    _ event: StoreEvent, at time: Nanoseconds,
    without unknown: Measures = [.rows, .connectionTime, .totalTime]
  ) -> EventRecord {
    // Without dates no line has a time, and a save has none either.
    let undated: Measures = clock.isReal ? [] : [.timeOfDay, .saveTime]
    return EventRecord(
      timestamp: time, process: process.identity, threadID: threadID, contextID: 0, event: event,
      measures: .coreData.subtracting(unknown.union(undated)))
  }
}
