// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DatabaseLocks
import StoreEvents
import TraceRendering

struct Locks: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows who holds the locks of a database, who waits, and who pins its log.",
    discussion: """
      trace-report locks app.db
      trace-report locks app.db --watch 1s
      trace-report locks app.db --fail-over 5s || alert

      Reads /proc/locks, the open files of processes and the -shm file. It takes no lock and needs \
      no tracing. Run it as the owner of the programs or as root. Connections and threads of one \
      process are one holder; use 'record' to find out which of them holds it.
      """)

  @Argument(help: "The database file.", completion: .file())
  var database: String

  @Option(help: "Print the state at this interval, with how long locks were held: 1s, 200ms.")
  var watch: DurationArgument?

  @Option(help: "With --watch: the number of times to print.")
  var count: Int?

  @Option(
    help: """
      Exit with 2 if one process holds the writer lock, or pins the log, for this long: 5s. Without \
      --watch it observes for so long at most; 3 if a holder may have gone unseen.
      """)
  var failOver: DurationArgument?

  @Flag(help: "Print JSON, schemaVersion 1; with --watch a line each time.")
  var json = false

  func validate() throws {
    let range: ClosedRange<Int64> = 1_000_000...3_600_000_000_000
    for (name, value) in [("--watch", watch), ("--fail-over", failOver)] {
      if let value, !range.contains(value.nanoseconds) {
        throw ValidationError("\(name) takes 1ms to 1h.")
      }
    }
    if let count, count < 1 { throw ValidationError("--count takes a number from 1 up.") }
    if count != nil, watch == nil { throw ValidationError("--count is for --watch.") }
  }

  func run() throws {
    Signals.catchEnding()
    let observer: LockObserver
    do {
      observer = try LockObserver(path: database)
    } catch {
      throw Failure(LogText.escaped("\(error)"))
    }
    var loop = LocksLoop(
      observer, LocksView(isJSON: json, isRepeated: watch != nil),
      interval: watch?.nanoseconds, count: count, limit: failOver?.nanoseconds)
    try loop.run()
  }
}
