// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import TraceRecording

/// The options of `record` that make it a flight recorder.
struct FlightArguments: ParsableArguments {
  @Option(
    name: .customLong("when"), parsing: .singleValue,
    help: ArgumentHelp(
      """
      Write nothing until this holds, then a snapshot of the newest events: \(FlightCondition.forms). \
      May be given several times.
      """, valueName: "condition"))
  var conditions: [FlightCondition] = []

  @Option(help: "With --when: the maximum number of snapshots an hour; 12 by default.")
  var atMost: Int?

  @Option(
    help: """
      With --when: the maximum size of the snapshots kept, in MiB; 256 by default. Otherwise that of \
      logs, which are then recorded; 1024, or a quarter of the free space.
      """)
  var disk: Int?

  var isActive: Bool { !conditions.isEmpty }

  func validate() throws {
    if !isActive, atMost != nil { throw ValidationError("--at-most needs --when.") }
    if let atMost, !(1...3600).contains(atMost) {
      throw ValidationError("--at-most takes a number from 1 to 3600.")
    }
    if let disk, !(1...1_048_576).contains(disk) {
      throw ValidationError("--disk takes MiB from 1 to 1048576.")
    }
  }

  var options: FlightOptions? {
    guard isActive else { return nil }
    var options = FlightOptions(conditions)
    if let atMost { options.atMost = atMost }
    if let disk { options.disk = disk << 20 }
    return options
  }
}

extension FlightCondition: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}
