// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents
import StoreInstruments
import TestSupport

/// Emits events for the tests that record it.
///
///     event-emitter samples SEED     one event of each kind, from the seeded samples
///     event-emitter burst COUNT      so many fetches, as fast as it can, each with its statement
///     event-emitter mix COUNT        so many events, as of a program that fetches, faults and saves
///     event-emitter wait             one fetch, then waits for a signal
///     event-emitter until FILE       a fetch each millisecond, until the file exists or its folder is gone
///     event-emitter exit CODE        one fetch, then ends so
@main
enum EventEmitter {
  static func main() {
    let arguments = CommandLine.arguments
    let number = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0
    let instruments = Instruments.fromEnvironment()
    switch arguments.dropFirst().first {
    case "samples": samples(seed: UInt64(number), to: instruments)
    case "burst": for id in 1...max(number, 1) { fetch(UInt64(id), to: instruments) }
    case "mix":
      var mix = EventMix(instruments)
      mix.emit(UInt64(max(number, 1)))
    case "wait":
      fetch(1, to: instruments)
      print("waiting")
      fflush(nil)
      while true { pause() }
    case "until":
      print("waiting")
      fflush(nil)
      var id: UInt64 = 0
      let file = arguments.dropFirst(2).first ?? ""
      let folder = String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)])
      // A test that failed takes the folder away.
      while access(file, F_OK) != 0, access(folder, F_OK) == 0 {
        id += 1
        fetch(id, to: instruments)
        usleep(1_000)
      }
    case "exit":
      fetch(1, to: instruments)
      exit(Int32(number))
    default: exit(64)
    }
  }

  private static let sql =
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZSTOP t0 WHERE  t0.ZLONGITUDE >= ?"
  private static let statement = StatementID(sql: sql)

  private static func samples(seed: UInt64, to instruments: Instruments) {
    var samples = EventSamples(seed: seed)
    for kind in StoreEvent.Kind.allCases {
      instruments.emit(samples.event(kind), contextID: 7)
    }
  }

  private static func fetch(_ id: UInt64, to instruments: Instruments) {
    instruments.counters.countFetch()
    instruments.emit(
      .fetchBegin(
        FetchBegin(
          fetchID: id, parentID: 0, entity: "Stop",
          location: SourceLocation(file: "emitter/EventEmitter.swift", line: 40))), contextID: 1)
    instruments.announce(sql, id: statement, storeID: 1, contextID: 1)
    instruments.willRun(sql: sql, bindings: [.real(13.41)], contextID: 1)
    if instruments.recordsValues {
      instruments.recordValues(of: sql, [.real(13.41)], storeID: 1, contextID: 1)
    }
    instruments.emit(
      .fetchEnd(
        FetchEnd(
          fetchID: id, parentID: 0, entity: "Stop", kind: .objects, statementID: statement,
          bindHash: id, waitTime: 0, prepareTime: 1_000, stepTime: 40_000,
          materializeTime: 2_000, connectionTime: 41_000, totalTime: 44_000, rows: 15,
          counters: StatementCounters(vmSteps: 300), limit: 200, offset: 0,
          batchSize: 0, error: "")), contextID: 1)
  }
}
