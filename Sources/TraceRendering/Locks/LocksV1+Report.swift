// SPDX-License-Identifier: Apache-2.0

public import DatabaseLocks

extension LocksV1 {
  /// - Parameter past: the holds that ended since the last line.
  public init(_ report: LocksReport, past: [Hold]) {
    let state = report.state
    let sample = state.sample
    let pinning = Set(state.pinningReaders)
    database = sample.path
    inode = sample.identity.inode
    observedFromNs = sample.began
    observedUntilNs = sample.ended
    journalMode = sample.header.journalMode.rawValue
    writers = state.writers.map { Writer(process: Process($0.process), lock: $0.lock.name) }
    waiters = state.waiters.map {
      Waiter(process: Process($0.process), evidence: $0.evidence.rawValue)
    }
    readers = state.readers.map {
      Reader(
        process: Process($0.process), slot: $0.slot, frame: $0.mark,
        pinsLog: pinning.contains($0))
    }
    checkpointers = state.checkpointers.map(Process.init)
    recovering = state.recovering.map(Process.init)
    checkpoint = state.checkpoint.map(Checkpoint.init)
    walBytes = sample.walSize
    journalBytes = sample.journalSize
    readMarks = sample.index.map(\.readMarks)
    users = sample.users.map(Process.init)
    holds = (report.history.current + past).map(Held.init)
    warnings = sample.hazards.filter { $0.severity == .warning }.map(\.description)
    hazards = sample.hazards.map(Hazard.init)
    sqlite = sample.images.sorted { $0.key < $1.key }.flatMap { pid, images in
      images.map { Library(pid: pid, path: $0.path, version: $0.version, date: $0.date) }
    }
    blindSpots = sample.blindSpots.map(\.description)
    mayHideHolder = sample.blindSpots.contains(where: \.mayHideHolder)
  }
}

extension LocksV1.Process {
  init(_ process: LockingProcess) {
    self.init(
      pid: process.pid, program: process.program, command: process.command,
      userID: process.userID, user: process.user, containerPID: process.containerPID,
      container: process.container)
  }
}

extension LocksV1.Hazard {
  init(_ hazard: DatabaseLocks.Hazard) {
    self.init(
      kind: hazard.kind, severity: hazard.severity.rawValue, fact: hazard.fact,
      advice: hazard.advice,
      users: hazard.users.map { .init(process: .init($0.process), startedNs: $0.started) },
      sinceNs: hazard.since)
    guard case .unlinked(let file) = hazard else { return }
    (path, bytes, transactions) = (file.path, file.size, file.transactions)
  }
}

extension LocksV1.Checkpoint {
  init(_ checkpoint: CheckpointState) {
    self.init(frames: checkpoint.frames, checkpointed: checkpoint.checkpointed)
    slot = checkpoint.obstacle?.slot
    switch checkpoint.obstacle {
    case .copiesNothing: obstacle = "copiesNothing"
    case .stops(_, let frame):
      obstacle = "stops"
      self.frame = frame
    case .keepsLog: obstacle = "keepsLog"
    case nil: break
    }
  }
}

extension LocksV1.Held {
  init(_ hold: Hold) {
    let role = if case .writer = hold.role { "writer" } else { "pinningReader" }
    self.init(
      pid: hold.process.pid, program: hold.process.program, role: role, sinceNs: hold.since,
      untilNs: hold.until, durationNs: hold.duration, samples: hold.samples, isOver: hold.isOver)
  }
}
