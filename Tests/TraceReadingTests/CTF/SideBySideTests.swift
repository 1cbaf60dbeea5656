// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import Synchronization
import TestSupport
import Testing
import TraceReading

/// Nothing is shared by the readings of a process.
@Suite struct SideBySideTests {
  @Test func readingsOfSeveralThreadsDoNotDisturbEachOther() throws {
    let directory = try TemporaryDirectory()
    var samples = EventSamples(seed: 40)
    let records = samples.records(36)
    var trace = TraceBuilder()
    for record in records { trace.add(record) }
    try trace.write(to: directory.url)
    let path = directory.url.path
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 1...50 {
        do {
          let reading = try Reading(path)
          guard reading.events != records.map(\.event) else { continue }
          failures.withLock { $0.append("\(reading.events.count) events") }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
  }
}
