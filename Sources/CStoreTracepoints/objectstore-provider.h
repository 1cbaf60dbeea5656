// SPDX-License-Identifier: Apache-2.0

// Read several times by LTTng's own headers, each time with other macros: hence the odd guards.

#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER objectstore

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "objectstore-provider.h"

#if !defined(objectstore_provider_h) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define objectstore_provider_h

#include <lttng/tracepoint.h>

#include "CStoreTracepoints.h"

/* For `enable-event --filter 'recording == N'`, which keeps a recording to its own processes; it
 * is evaluated there and not written. */
#undef RECORDING
#define RECORDING lttng_ust_field_integer_nowrite(int64_t, recording, CStoreTracepoints_recording)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, store_opened,
    LTTNG_UST_TP_ARGS(
        uint64_t, context_id, uint64_t, store_id, const char *, path, const char *, journal_mode,
        uint64_t, page_size, const char *, sqlite_version, int64_t, process_start_ns,
        const char *, process_name),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, context_id)
        lttng_ust_field_integer(uint64_t, store_id, store_id)
        lttng_ust_field_string(path, path)
        lttng_ust_field_string(journal_mode, journal_mode)
        lttng_ust_field_integer(uint64_t, page_size, page_size)
        lttng_ust_field_string(sqlite_version, sqlite_version)
        lttng_ust_field_integer(int64_t, process_start_ns, process_start_ns)
        lttng_ust_field_string(process_name, process_name)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, store_opened, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, context_created,
    LTTNG_UST_TP_ARGS(
        uint64_t, context_id, uint64_t, store_id, uint64_t, parent_context_id,
        const char *, queue, const char *, name),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, context_id)
        lttng_ust_field_integer(uint64_t, store_id, store_id)
        lttng_ust_field_integer(uint64_t, parent_context_id, parent_context_id)
        lttng_ust_field_string(queue, queue)
        lttng_ust_field_string(name, name)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, context_created, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, statement,
    LTTNG_UST_TP_ARGS(
        uint64_t, context_id, uint64_t, store_id, uint64_t, statement_id, const char *, sql),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, context_id)
        lttng_ust_field_integer(uint64_t, store_id, store_id)
        lttng_ust_field_integer(uint64_t, statement_id, statement_id)
        lttng_ust_field_string(sql, sql)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, statement, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, values,
    LTTNG_UST_TP_ARGS(
        uint64_t, context_id, uint64_t, store_id, uint64_t, statement_id, const char *, values),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, context_id)
        lttng_ust_field_integer(uint64_t, store_id, store_id)
        lttng_ust_field_integer(uint64_t, statement_id, statement_id)
        lttng_ust_field_string(values, values)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, values, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, busy,
    LTTNG_UST_TP_ARGS(
        uint64_t, context_id, uint64_t, store_id, uint64_t, attempts, int64_t, wait_ns,
        uint64_t, gave_up),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, context_id)
        lttng_ust_field_integer(uint64_t, store_id, store_id)
        lttng_ust_field_integer(uint64_t, attempts, attempts)
        lttng_ust_field_integer(int64_t, wait_ns, wait_ns)
        lttng_ust_field_integer(uint64_t, gave_up, gave_up)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, busy, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, checkpoint,
    LTTNG_UST_TP_ARGS(
        uint64_t, context_id, uint64_t, store_id, const char *, mode, uint64_t, log_frames,
        uint64_t, checkpointed_frames, int64_t, total_ns),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, context_id)
        lttng_ust_field_integer(uint64_t, store_id, store_id)
        lttng_ust_field_string(mode, mode)
        lttng_ust_field_integer(uint64_t, log_frames, log_frames)
        lttng_ust_field_integer(uint64_t, checkpointed_frames, checkpointed_frames)
        lttng_ust_field_integer(int64_t, total_ns, total_ns)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, checkpoint, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, fetch_begin,
    LTTNG_UST_TP_ARGS(
        uint64_t, context_id, uint64_t, fetch_id, uint64_t, parent_id, const char *, entity,
        const char *, file, uint64_t, line),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, context_id)
        lttng_ust_field_integer(uint64_t, fetch_id, fetch_id)
        lttng_ust_field_integer(uint64_t, parent_id, parent_id)
        lttng_ust_field_string(entity, entity)
        lttng_ust_field_string(file, file)
        lttng_ust_field_integer(uint64_t, line, line)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, fetch_begin, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, fetch_end,
    LTTNG_UST_TP_ARGS(
        const struct CStoreTracepoints_fetch_end *, event),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, event->context_id)
        lttng_ust_field_integer(uint64_t, fetch_id, event->fetch_id)
        lttng_ust_field_integer(uint64_t, parent_id, event->parent_id)
        lttng_ust_field_string(entity, event->entity)
        lttng_ust_field_string(kind, event->kind)
        lttng_ust_field_integer(uint64_t, statement_id, event->statement_id)
        lttng_ust_field_integer(uint64_t, bind_hash, event->bind_hash)
        lttng_ust_field_integer(int64_t, wait_ns, event->wait_ns)
        lttng_ust_field_integer(int64_t, prepare_ns, event->prepare_ns)
        lttng_ust_field_integer(int64_t, step_ns, event->step_ns)
        lttng_ust_field_integer(int64_t, materialize_ns, event->materialize_ns)
        lttng_ust_field_integer(int64_t, connection_ns, event->connection_ns)
        lttng_ust_field_integer(int64_t, total_ns, event->total_ns)
        lttng_ust_field_integer(uint64_t, rows, event->rows)
        lttng_ust_field_integer(uint64_t, vm_steps, event->vm_steps)
        lttng_ust_field_integer(uint64_t, fullscan_steps, event->fullscan_steps)
        lttng_ust_field_integer(uint64_t, sorts, event->sorts)
        lttng_ust_field_integer(uint64_t, autoindex_rows, event->autoindex_rows)
        lttng_ust_field_integer(uint64_t, limit, event->limit)
        lttng_ust_field_integer(uint64_t, offset, event->offset)
        lttng_ust_field_integer(uint64_t, batch_size, event->batch_size)
        lttng_ust_field_string(error, event->error)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, fetch_end, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, fault,
    LTTNG_UST_TP_ARGS(
        uint64_t, context_id, const char *, entity, int64_t, pk, const char *, relationship,
        const char *, source, int64_t, duration_ns, uint64_t, rows, uint64_t, origin_fetch_id,
        const char *, origin_file, uint64_t, origin_line),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, context_id)
        lttng_ust_field_string(entity, entity)
        lttng_ust_field_integer(int64_t, pk, pk)
        lttng_ust_field_string(relationship, relationship)
        lttng_ust_field_string(source, source)
        lttng_ust_field_integer(int64_t, duration_ns, duration_ns)
        lttng_ust_field_integer(uint64_t, rows, rows)
        lttng_ust_field_integer(uint64_t, origin_fetch_id, origin_fetch_id)
        lttng_ust_field_string(origin_file, origin_file)
        lttng_ust_field_integer(uint64_t, origin_line, origin_line)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, fault, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, cache_miss,
    LTTNG_UST_TP_ARGS(
        uint64_t, context_id, const char *, entity, int64_t, pk, const char *, relationship,
        int64_t, duration_ns, uint64_t, statement_id, uint64_t, vm_steps, uint64_t, fullscan_steps,
        uint64_t, origin_fetch_id),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, context_id)
        lttng_ust_field_string(entity, entity)
        lttng_ust_field_integer(int64_t, pk, pk)
        lttng_ust_field_string(relationship, relationship)
        lttng_ust_field_integer(int64_t, duration_ns, duration_ns)
        lttng_ust_field_integer(uint64_t, statement_id, statement_id)
        lttng_ust_field_integer(uint64_t, vm_steps, vm_steps)
        lttng_ust_field_integer(uint64_t, fullscan_steps, fullscan_steps)
        lttng_ust_field_integer(uint64_t, origin_fetch_id, origin_fetch_id)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, cache_miss, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, save_begin,
    LTTNG_UST_TP_ARGS(
        uint64_t, context_id, uint64_t, save_id, uint64_t, inserted, uint64_t, updated,
        uint64_t, deleted, const char *, file, uint64_t, line),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, context_id)
        lttng_ust_field_integer(uint64_t, save_id, save_id)
        lttng_ust_field_integer(uint64_t, inserted, inserted)
        lttng_ust_field_integer(uint64_t, updated, updated)
        lttng_ust_field_integer(uint64_t, deleted, deleted)
        lttng_ust_field_string(file, file)
        lttng_ust_field_integer(uint64_t, line, line)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, save_begin, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, save_end,
    LTTNG_UST_TP_ARGS(
        const struct CStoreTracepoints_save_end *, event),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, event->context_id)
        lttng_ust_field_integer(uint64_t, save_id, event->save_id)
        lttng_ust_field_integer(uint64_t, inserted, event->inserted)
        lttng_ust_field_integer(uint64_t, updated, event->updated)
        lttng_ust_field_integer(uint64_t, deleted, event->deleted)
        lttng_ust_field_integer(uint64_t, statements, event->statements)
        lttng_ust_field_integer(int64_t, wait_ns, event->wait_ns)
        lttng_ust_field_integer(int64_t, write_ns, event->write_ns)
        lttng_ust_field_integer(int64_t, commit_ns, event->commit_ns)
        lttng_ust_field_integer(int64_t, total_ns, event->total_ns)
        lttng_ust_field_string(file, event->file)
        lttng_ust_field_integer(uint64_t, line, event->line)
        lttng_ust_field_string(error, event->error)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, save_end, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, transaction,
    LTTNG_UST_TP_ARGS(
        const struct CStoreTracepoints_transaction *, event),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, event->context_id)
        lttng_ust_field_integer(uint64_t, store_id, event->store_id)
        lttng_ust_field_integer(uint64_t, save_id, event->save_id)
        lttng_ust_field_string(outcome, event->outcome)
        lttng_ust_field_integer(int64_t, wait_ns, event->wait_ns)
        lttng_ust_field_integer(int64_t, total_ns, event->total_ns)
        lttng_ust_field_integer(uint64_t, transaction_id, event->transaction_id)
        lttng_ust_field_string(kind, event->kind)
        lttng_ust_field_integer(int64_t, writer_ns, event->writer_ns)
        lttng_ust_field_integer(uint64_t, statements, event->statements)
        lttng_ust_field_integer(int64_t, idle_ns, event->idle_ns)
        lttng_ust_field_integer(uint64_t, log_bytes, event->log_bytes)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, transaction, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, counters,
    LTTNG_UST_TP_ARGS(
        uint64_t, context_id, uint64_t, store_id, uint64_t, fetches, uint64_t, faults,
        uint64_t, cache_hits, uint64_t, cache_misses, uint64_t, saves, uint64_t, events,
        int64_t, tracing_ns),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, context_id)
        lttng_ust_field_integer(uint64_t, store_id, store_id)
        lttng_ust_field_integer(uint64_t, fetches, fetches)
        lttng_ust_field_integer(uint64_t, faults, faults)
        lttng_ust_field_integer(uint64_t, cache_hits, cache_hits)
        lttng_ust_field_integer(uint64_t, cache_misses, cache_misses)
        lttng_ust_field_integer(uint64_t, saves, saves)
        lttng_ust_field_integer(uint64_t, events, events)
        lttng_ust_field_integer(int64_t, tracing_ns, tracing_ns)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, counters, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, statement_io,
    LTTNG_UST_TP_ARGS(const struct CStoreTracepoints_statement_io *, event),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, event->context_id)
        lttng_ust_field_integer(uint64_t, store_id, event->store_id)
        lttng_ust_field_integer(uint64_t, run_id, event->run_id)
        lttng_ust_field_integer(uint64_t, cache_hits, event->cache_hits)
        lttng_ust_field_integer(uint64_t, cache_misses, event->cache_misses)
        lttng_ust_field_integer(uint64_t, reads, event->reads)
        lttng_ust_field_integer(uint64_t, read_bytes, event->read_bytes)
        lttng_ust_field_integer(int64_t, read_ns, event->read_ns)
        lttng_ust_field_integer(uint64_t, writes, event->writes)
        lttng_ust_field_integer(uint64_t, write_bytes, event->write_bytes)
        lttng_ust_field_integer(int64_t, write_ns, event->write_ns)
        lttng_ust_field_integer(uint64_t, syncs, event->syncs)
        lttng_ust_field_integer(int64_t, sync_ns, event->sync_ns)
        lttng_ust_field_integer(int64_t, checkpoint_ns, event->checkpoint_ns)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, statement_io, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    objectstore, commit_io,
    LTTNG_UST_TP_ARGS(const struct CStoreTracepoints_commit_io *, event),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, event->context_id)
        lttng_ust_field_integer(uint64_t, store_id, event->store_id)
        lttng_ust_field_integer(uint64_t, transaction_id, event->transaction_id)
        lttng_ust_field_integer(uint64_t, save_id, event->save_id)
        lttng_ust_field_integer(int64_t, wait_ns, event->wait_ns)
        lttng_ust_field_integer(int64_t, body_ns, event->body_ns)
        lttng_ust_field_integer(int64_t, log_ns, event->log_ns)
        lttng_ust_field_integer(int64_t, file_ns, event->file_ns)
        lttng_ust_field_integer(int64_t, sync_ns, event->sync_ns)
        lttng_ust_field_integer(int64_t, checkpoint_ns, event->checkpoint_ns)
        lttng_ust_field_integer(int64_t, commit_ns, event->commit_ns)
        lttng_ust_field_integer(int64_t, total_ns, event->total_ns)
        lttng_ust_field_integer(uint64_t, changes, event->changes)
        lttng_ust_field_integer(uint64_t, log_writes, event->log_writes)
        lttng_ust_field_integer(uint64_t, file_writes, event->file_writes)
        lttng_ust_field_integer(uint64_t, syncs, event->syncs)
        lttng_ust_field_integer(uint64_t, checkpoints, event->checkpoints)
        lttng_ust_field_integer(uint64_t, checkpoint_writes, event->checkpoint_writes)
        lttng_ust_field_integer(uint64_t, checkpoint_syncs, event->checkpoint_syncs)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(objectstore, commit_io, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

#endif

#include <lttng/tracepoint-event.h>
