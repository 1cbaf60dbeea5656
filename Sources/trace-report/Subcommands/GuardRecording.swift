// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import TraceRecording

/// The process that `record` starts to clean up after it; not for users.
struct GuardRecording: AsyncParsableCommand {
  static let name = "guard-recording"
  static let configuration = CommandConfiguration(
    commandName: name, abstract: "Cleans up after a recorder that is killed.",
    shouldDisplay: false)

  @Option(help: "The folder of the logs that it records.")
  var log: String?

  @Argument(help: "The process id of the recorder.")
  var recorder: Int32

  func run() async { await TraceRecorder.cleanUp(after: recorder, log: log) }
}
