// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

extension PersistentStore {
  /// Reports the calling thread's file operations since the last call.
  func reportIO(run: UInt64 = 0, pages: PageCounts = PageCounts(), contextID: UInt64) {
    guard recordsIO, instruments.wants(.events) else { return }
    report(FileCounts.take(), run: run, pages: pages, contextID: contextID)
  }

  func report(_ files: FileCounts, run: UInt64 = 0, pages: PageCounts, contextID: UInt64) {
    guard !files.isEmpty || pages != PageCounts() else { return }
    instruments.emit(
      .statementIO(
        StatementIO(
          storeID: id, runID: run, cacheHits: pages.cacheHits, cacheMisses: pages.cacheMisses,
          reads: files.reads, readBytes: files.readBytes, readTime: files.readTime,
          writes: files.writes, writeBytes: files.writeBytes, writeTime: files.writeTime,
          syncs: files.syncs, syncTime: files.syncTime, checkpointTime: files.checkpointTime)),
      contextID: contextID)
  }
}

/// The I/O of a save, before its COMMIT and in it.
struct SaveIO {
  private var body: FileCounts?
  private var pages: PageCounts

  init(_ connection: Connection) { pages = connection.pageCounts }

  mutating func willCommit() { body = FileCounts.take() }

  /// Reports the commit's parts.
  func didCommit(
    _ save: CommitIO, commit: Nanoseconds, on connection: Connection, of store: PersistentStore,
    contextID: UInt64
  ) {
    guard let body else { return }
    let last = FileCounts.take()
    let files = body + last
    var event = save
    event.logTime = files.logTime
    event.logWrites = files.logWrites
    event.fileTime = files.fileTime
    event.fileWrites = files.fileWrites
    event.syncTime = files.commitSyncTime
    event.syncs = files.commitSyncs
    event.checkpointTime = files.checkpointTime
    event.commitTime = max(commit - last.commitTime, 0)
    event.bodyTime = max(
      event.totalTime - event.waitTime - files.commitTime - event.commitTime, 0)
    store.instruments.emit(.commitIO(event), contextID: contextID)
    store.report(files, pages: connection.pageCounts - pages, contextID: contextID)
  }
}
