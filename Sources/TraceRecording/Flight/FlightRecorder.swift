// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Arms the triggers of a session, examines the snapshots that they take, and keeps the number and
/// size that the options allow.
///
///     arm ──▶ LTTng's trigger takes a snapshot, once ──▶ examine ──▶ trim the folder ──▶ arm
///                                                          └─ no incident: remove it ──▶ arm
///
/// While a trigger is not armed, because an incident is examined or the limit of the hour is
/// reached, no snapshot is taken; the events stay in the buffers.
struct FlightRecorder {
  private let session: RecordingSession
  private let command: LTTngCommand
  private let options: FlightOptions
  private var folder: IncidentFolder
  private let triggers: [SessionTrigger]
  private var limit: HourlyLimit
  private var examiner: any IncidentExaminer
  /// Indexes of the triggers that can fire; a trigger that fired is armed again.
  private var armed: Set<Int> = []
  /// The part of ``FlightOptions/disk`` for incidents, so that a snapshot of each trigger fits.
  private let keep: Int
  private let watch: FolderWatch?
  private(set) var incidents = 0

  /// - Parameter snapshotSize: the largest that a snapshot can be, in bytes.
  init(
    _ session: RecordingSession, _ command: LTTngCommand, _ options: FlightOptions,
    folder: String, snapshotSize: Int, examiner: any IncidentExaminer
  ) throws(RecordingError) {
    self.session = session
    self.command = command
    self.options = options
    self.folder = IncidentFolder(path: folder)
    self.examiner = examiner
    triggers = session.triggers(of: options.conditions, into: folder)
    limit = HourlyLimit(options.atMost)
    keep = options.disk - triggers.count * snapshotSize
    guard keep >= 0 else {
      throw .diskTooSmall(given: options.disk, needed: triggers.count * snapshotSize)
    }
    watch = FolderWatch(folder)
  }

  /// Arms the triggers for the first time.
  mutating func start() async throws {
    for (index, trigger) in triggers.enumerated() {
      try await trigger.arm(with: command)
      armed.insert(index)
    }
  }

  /// Observes and examines until the program has ended.
  mutating func run(until hasEnded: () -> Bool) async {
    while !hasEnded() {
      examiner.observe(session.processes)
      await examineSnapshots()
      await armAgain()
      watch?.wait(milliseconds: 100)
    }
    // The daemon receives the program's last events a little after they happen.
    usleep(300_000)
    examiner.observe(session.processes)
  }

  /// Removes the triggers, and examines their snapshots; before the session ends.
  mutating func stop() async {
    for trigger in triggers { await trigger.disarm(with: command) }
    armed = []
    await examineSnapshots()
    guard incidents > 0, await session.takeSnapshot(named: IncidentFolder.lastName),
      let last = folder.last
    else { return }
    examiner.count(in: last)
    folder.remove(last)
  }

  private mutating func examineSnapshots() async {
    let snapshots = folder.snapshots(of: options.conditions.count)
    guard !snapshots.isEmpty else { return }
    await session.finishSnapshots()
    for snapshot in snapshots {
      for (index, trigger) in triggers.enumerated() where trigger.condition == snapshot.condition {
        // Which of a condition's triggers fired is not known.
        await trigger.disarm(with: command)
        armed.remove(index)
      }
      guard let (number, path) = folder.claim(snapshot.folder) else { continue }
      let condition = options.conditions[snapshot.condition]
      let isIncident = examiner.examine(
        FlightSnapshot(number: number, folder: path, condition: condition))
      guard isIncident else {
        folder.discard(path)
        continue
      }
      incidents += 1
      limit.note(.now)
      folder.trim(to: keep)
    }
  }

  private mutating func armAgain() async {
    guard armed.count < triggers.count, limit.permits(.now) else { return }
    for (index, trigger) in triggers.enumerated() where !armed.contains(index) {
      // A daemon that was ended meanwhile is found out by the end of the session.
      if (try? await trigger.arm(with: command)) != nil { armed.insert(index) }
    }
  }
}

/// Wakes when something is made in a folder.
private final class FolderWatch {
  private let descriptor: Int32

  init?(_ path: String) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    inotify_add_watch(descriptor, path, UInt32(IN_CREATE))
  }

  deinit { close(descriptor) }

  func wait(milliseconds: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, milliseconds) > 0 else { return }
    var events = [UInt8](repeating: 0, count: 4096)
    while read(descriptor, &events, events.count) > 0 {}
  }
}
