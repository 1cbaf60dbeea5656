// SPDX-License-Identifier: Apache-2.0

import CStoreTracepoints
import StoreEvents

// One method an event: names and order are those of the payload's `write(to:)`.
extension Tracepoints {
  func record(_ event: StoreOpened, _ contextID: UInt64) {
    withTraceStrings(event.path, event.journalMode, event.sqliteVersion) {
      path, journalMode, sqliteVersion in
      withTraceString(event.processName) {
        CStoreTracepoints_store_opened(
          contextID, event.storeID, path, journalMode, event.pageSize, sqliteVersion,
          event.processStart, $0)
      }
    }
  }

  func record(_ event: ContextCreated, _ contextID: UInt64) {
    withTraceStrings(event.queue, event.contextName) {
      CStoreTracepoints_context_created(contextID, event.storeID, event.parentID, $0, $1)
    }
  }

  func record(_ event: StatementAnnounced, _ contextID: UInt64) {
    withTraceString(event.sql) {
      CStoreTracepoints_statement(contextID, event.storeID, event.statementID.rawValue, $0)
    }
  }

  func record(_ event: ValuesBound, _ contextID: UInt64) {
    withTraceString(event.values) {
      CStoreTracepoints_values(contextID, event.storeID, event.statementID.rawValue, $0)
    }
  }

  func record(_ event: FetchBegin, _ contextID: UInt64) {
    withTraceStrings(event.entity, event.location.file) {
      CStoreTracepoints_fetch_begin(
        contextID, event.fetchID, event.parentID, $0, $1, event.location.line)
    }
  }

  func record(_ event: FetchEnd, _ contextID: UInt64) {
    withTraceStrings(event.entity, event.kind.rawValue, event.error) { entity, kind, error in
      var fields = CStoreTracepoints_fetch_end(
        context_id: contextID, fetch_id: event.fetchID, parent_id: event.parentID, entity: entity,
        kind: kind, statement_id: event.statementID.rawValue, bind_hash: event.bindHash,
        wait_ns: event.waitTime, prepare_ns: event.prepareTime, step_ns: event.stepTime,
        materialize_ns: event.materializeTime, connection_ns: event.connectionTime,
        total_ns: event.totalTime, rows: event.rows, vm_steps: event.vmSteps,
        fullscan_steps: event.fullScanSteps, sorts: event.sorts,
        autoindex_rows: event.autoIndexRows, limit: event.limit, offset: event.offset,
        batch_size: event.batchSize, error: error)
      CStoreTracepoints_fetch_end(&fields)
    }
  }

  func record(_ event: FaultFired, _ contextID: UInt64) {
    withTraceStrings(event.entity, event.relationship, event.source.rawValue) {
      entity, relationship, source in
      withTraceString(event.origin.file) {
        CStoreTracepoints_fault(
          contextID, entity, event.pk, relationship, source, event.duration, event.rows,
          event.originFetchID, $0, event.origin.line)
      }
    }
  }

  func record(_ event: CacheMiss, _ contextID: UInt64) {
    withTraceStrings(event.entity, event.relationship) {
      CStoreTracepoints_cache_miss(
        contextID, $0, event.pk, $1, event.duration, event.statementID.rawValue, event.vmSteps,
        event.fullScanSteps, event.originFetchID)
    }
  }

  func record(_ event: SaveBegin, _ contextID: UInt64) {
    withTraceString(event.location.file) {
      CStoreTracepoints_save_begin(
        contextID, event.saveID, event.inserted, event.updated, event.deleted, $0,
        event.location.line)
    }
  }

  func record(_ event: SaveEnd, _ contextID: UInt64) {
    withTraceStrings(event.location.file, event.error) { file, error in
      var fields = CStoreTracepoints_save_end(
        context_id: contextID, save_id: event.saveID, inserted: event.inserted,
        updated: event.updated, deleted: event.deleted, statements: event.statements,
        wait_ns: event.waitTime, write_ns: event.writeTime, commit_ns: event.commitTime,
        total_ns: event.totalTime, file: file, line: event.location.line, error: error)
      CStoreTracepoints_save_end(&fields)
    }
  }

  func record(_ event: TransactionEnded, _ contextID: UInt64) {
    withTraceStrings(event.outcome, event.kind) { outcome, kind in
      var fields = CStoreTracepoints_transaction(
        context_id: contextID, store_id: event.storeID, save_id: event.saveID, outcome: outcome,
        wait_ns: event.waitTime, total_ns: event.totalTime, transaction_id: event.transactionID,
        kind: kind, writer_ns: event.writerTime, statements: event.statements,
        idle_ns: event.idleTime, log_bytes: event.logBytes)
      CStoreTracepoints_transaction(&fields)
    }
  }

  func record(_ event: CheckpointDone, _ contextID: UInt64) {
    withTraceString(event.mode) {
      CStoreTracepoints_checkpoint(
        contextID, event.storeID, $0, event.logFrames, event.checkpointedFrames, event.totalTime)
    }
  }

  func record(_ event: BusyWaited, _ contextID: UInt64) {
    CStoreTracepoints_busy(
      contextID, event.storeID, event.attempts, event.waitTime, event.gaveUp)
  }

  func record(_ event: CountersSampled, _ contextID: UInt64) {
    CStoreTracepoints_counters(
      contextID, event.storeID, event.fetches, event.faults, event.cacheHits, event.cacheMisses,
      event.saves, event.events, event.tracingTime)
  }

  func record(_ event: StatementIO, _ contextID: UInt64) {
    var fields = CStoreTracepoints_statement_io(
      context_id: contextID, store_id: event.storeID, run_id: event.runID,
      cache_hits:
        event.cacheHits, cache_misses: event.cacheMisses, reads: event.reads,
      read_bytes:
        event.readBytes, read_ns: event.readTime, writes: event.writes,
      write_bytes: event.writeBytes,
      write_ns: event.writeTime, syncs: event.syncs, sync_ns: event.syncTime,
      checkpoint_ns:
        event.checkpointTime)
    CStoreTracepoints_statement_io(&fields)
  }

  func record(_ event: CommitIO, _ contextID: UInt64) {
    var fields = CStoreTracepoints_commit_io(
      context_id: contextID, store_id: event.storeID, transaction_id: event.transactionID,
      save_id:
        event.saveID, wait_ns: event.waitTime, body_ns: event.bodyTime, log_ns: event.logTime,
      file_ns: event.fileTime, sync_ns: event.syncTime, checkpoint_ns: event.checkpointTime,
      commit_ns: event.commitTime, total_ns: event.totalTime, changes: event.changes,
      log_writes:
        event.logWrites, file_writes: event.fileWrites, syncs: event.syncs,
      checkpoints:
        event.checkpoints, checkpoint_writes: event.checkpointWrites,
      checkpoint_syncs:
        event.checkpointSyncs)
    CStoreTracepoints_commit_io(&fields)
  }
}
