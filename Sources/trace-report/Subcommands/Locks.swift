// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DatabaseLocks

struct Locks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locks",
    abstract:
      "Shows who holds the locks of a database, who pins its log, and who endangers its data.",
    discussion: """
      trace-report locks app.db
      trace-report locks app.db --watch 1s
      trace-report locks app.db --fail-over 5s || alert
      trace-report locks app.db --fail-on warning || alert
      trace-report locks app.db --attach
      trace-report locks app.db --rescue saved/
      trace-report locks --all

      Reads /proc/locks, the open files of processes and the -shm file. It takes no lock and needs \
      no tracing; only --attach changes a process. Run it as the owner of the programs or as root. \
      Connections and threads of one process are one holder; use 'record' to find out which of them holds it.
      """)

  @Argument(help: "The database file.", completion: .file())
  var database: String?

  @Flag(help: "Show every database that is open on this host, with its programs and warnings.")
  var all = false

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

  @Option(
    help: """
      Exit with 2 if something endangers the data, such as cancelled locks or a deleted log: warning, or \
      note for any.
      """)
  var failOn: FailOn?

  enum FailOn: String, ExpressibleByArgument, CaseIterable { case warning, note }

  @Option(
    help: """
      Copy deleted files that programs still have open, with their log, into this new folder, and check the \
      copy. 3 if something is missing.
      """, completion: .directory)
  var rescue: String?

  @Flag(
    help: """
      Also load the probe into the processes that hold locks, as 'attach' does, and show for a second what they \
      run, and at which lines the threads of Python programs are.
      """)
  var attach = false

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
    if (database == nil) != all {
      throw ValidationError("Pass either a database or --all.")
    }
    if all, watch != nil || failOver != nil || rescue != nil {
      throw ValidationError("--all takes --fail-on and --json.")
    }
    if rescue != nil, json || watch != nil || failOver != nil || failOn != nil {
      throw ValidationError("--rescue takes no other option.")
    }
    if attach, all || json || watch != nil || rescue != nil {
      throw ValidationError("--attach excludes --all, --json, --watch and --rescue.")
    }
    if count != nil, watch == nil { throw ValidationError("--count is for --watch.") }
  }

  func run() throws {
    Signals.catchEnding()
    let severities =
      failOn.map { $0 == .note ? [Hazard.Severity.warning, .note] : [.warning] } ?? []
    guard let database else { return try AllLocks(isJSON: json).run(failsOn: Set(severities)) }
    let observer = try LockObserver(path: database)
    if let rescue { return try RescueFolder(path: rescue).save(observer) }
    var loop = LocksLoop(
      observer, LocksView(isJSON: json, isRepeated: watch != nil),
      interval: watch?.nanoseconds, count: count, limit: failOver?.nanoseconds,
      failsOn: Set(severities))
    let result = Result { try loop.run() }
    if attach { try HolderLook(state: LockState(observer.sample())).run() }
    try result.get()
  }
}
