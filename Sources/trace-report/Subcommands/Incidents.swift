// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceRendering

struct Incidents: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "incidents",
    abstract: "Lists the incidents that 'record --when' wrote, or opens one.",
    discussion: """
      trace-report incidents folder
      trace-report incidents folder 2

      An incident is a folder: a trace, and incident.json with the offender, its plan and the locks. All \
      commands read the trace: trace-report html folder/incident-2.
      """)

  @Argument(help: "The folder of the recording.", completion: .directory)
  var folder: String

  @Argument(help: "The number of an incident to open.")
  var number: Int?

  @Flag(help: "Print JSON, schemaVersion 1: an incident, or a list of them.")
  var json = false

  func run() throws {
    guard let list = IncidentList(ifFlightRecorders: folder) else {
      throw Failure(
        "no incidents in \(LogText.quoted(folder)); name the folder that 'record --when' wrote to",
        status: ExitStatus.inconclusive)
    }
    guard let number else {
      return Output.print(
        json ? try JSONText.encoded(list.incidents) : list.document.text(.ofStandardOutput))
    }
    guard let incident = list.incidents.first(where: { $0.number == number }) else {
      throw Failure(
        "no incident \(number) in \(LogText.quoted(folder)); it may have been removed for --disk")
    }
    if json { return Output.print(try JSONText.encoded(incident)) }
    Output.print(incident.document.text(.ofStandardOutput) + "\n")
    let profile = try Inputs.profile(of: ["\(folder)/incident-\(number)"])
    Output.print(Document(summary: profile).text(.ofStandardOutput))
  }
}
