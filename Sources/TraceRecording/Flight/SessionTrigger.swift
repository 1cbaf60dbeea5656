// SPDX-License-Identifier: Apache-2.0

/// A trigger of LTTng that takes a snapshot of a session once, when an event matches a rule.
///
/// It is armed again for the next incident, so that a flood of matches makes one snapshot, not a
/// thousand.
struct SessionTrigger {
  /// Unique in the daemon: the name of the session and a number.
  let name: String
  /// The condition it belongs to.
  let condition: Int
  let event: String
  let filter: String
  let occurrences: UInt64
  private let session: String
  private let folder: String

  /// The triggers of a list of conditions.
  ///
  /// - Parameter scope: a filter that keeps a recording to its own processes.
  static func triggers(
    of conditions: [FlightCondition], session: String, scope: String, folder: String
  ) -> [SessionTrigger] {
    var triggers: [SessionTrigger] = []
    for (index, condition) in conditions.enumerated() {
      for rule in condition.rules {
        triggers.append(
          SessionTrigger(
            name: "\(session)-\(triggers.count)", condition: index, event: rule.event,
            filter: "\(scope) && \(rule.filter)", occurrences: condition.occurrences,
            session: session, folder: folder))
      }
    }
    return triggers
  }

  /// The beginning of the names of a condition's snapshots: `snapshot-2-20261122-124510-0`.
  static func snapshotName(_ condition: Int) -> String { "snapshot-when\(condition + 1)" }

  func arm(with command: LTTngCommand) async throws {
    try await command.lttng(
      "add-trigger", "--name=\(name)", "--condition=event-rule-matches", "--type=user",
      "--name=\(event)", "--filter=\(filter)", "--action=snapshot-session", session,
      "--path=\(folder)", "--name=\(Self.snapshotName(condition))",
      "--rate-policy=once-after:\(occurrences)")
  }

  func disarm(with command: LTTngCommand) async {
    try? await command.lttng("remove-trigger", name)
  }

  /// Removes the triggers of recorders that were killed.
  static func removeAbandoned(with command: LTTngCommand) async throws {
    let list = try await command.run("lttng", ["--no-sessiond", "list-triggers"])
    // `- name: trace-report-2367-1804289383-0`
    for line in list.text.split(separator: "\n") where line.hasPrefix("- name: ") {
      let name = line.dropFirst("- name: ".count)
      guard let owner = RecordingSession.owner(ofName: name), !SessionDaemon.isRunning(owner)
      else { continue }
      try? await command.lttng("remove-trigger", String(name))
    }
  }
}
