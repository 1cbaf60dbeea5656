// SPDX-License-Identifier: Apache-2.0

// Read several times by LTTng's own headers, each time with other macros: hence the odd guards.

#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER sqliteprobe

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "sqliteprobe-provider.h"

#if !defined(sqliteprobe_provider_h) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define sqliteprobe_provider_h

#include <lttng/tracepoint.h>

#include "events.h"

/* The probe has no contexts; the field is that of the store's events. */
#undef CONTEXT
#define CONTEXT lttng_ust_field_integer(uint64_t, context_id, 0)

/* For `enable-event --filter 'recording == N'`, which keeps a recording to its own processes; it
 * is evaluated there and not written. */
#undef RECORDING
#define RECORDING lttng_ust_field_integer_nowrite(int64_t, recording, storescope_recording)
#undef RECORDING_DELIVERED
#define RECORDING_DELIVERED \
  lttng_ust_field_integer_nowrite(int64_t, recording, storescope_end(event->delivery))

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, connection_opened,
    LTTNG_UST_TP_ARGS(const struct connection_opened *, event),
    LTTNG_UST_TP_FIELDS(
        CONTEXT
        lttng_ust_field_integer(uint64_t, connection_id, event->connection_id)
        lttng_ust_field_string(path, event->path)
        lttng_ust_field_string(vfs, event->vfs)
        lttng_ust_field_integer(uint64_t, flags, event->flags)
        lttng_ust_field_string(sqlite_version, event->sqlite_version)
        lttng_ust_field_string(sqlite_path, event->sqlite_path)
        lttng_ust_field_string(way, event->way)
        lttng_ust_field_integer(uint64_t, device, event->device)
        lttng_ust_field_integer(uint64_t, inode, event->inode)
        lttng_ust_field_integer(int64_t, process_start_ns, event->process_start_ns)
        lttng_ust_field_string(process_name, event->process_name)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, connection_opened, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, connection_closed,
    LTTNG_UST_TP_ARGS(uint64_t, connection_id),
    LTTNG_UST_TP_FIELDS(
        CONTEXT
        lttng_ust_field_integer(uint64_t, connection_id, connection_id)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, connection_closed, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, statement,
    LTTNG_UST_TP_ARGS(const struct announced_statement *, event),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, storescope_begin(event->delivery))
        lttng_ust_field_integer(uint64_t, store_id, event->store_id)
        lttng_ust_field_integer(uint64_t, statement_id, event->statement_id)
        lttng_ust_field_string(sql, storescope_accept(event->delivery, event->sql))
        RECORDING_DELIVERED))
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, statement, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, caller,
    LTTNG_UST_TP_ARGS(const struct caller *, event),
    LTTNG_UST_TP_FIELDS(
        CONTEXT
        lttng_ust_field_integer(uint64_t, caller_id, event->caller_id)
        lttng_ust_field_string(language, event->language)
        lttng_ust_field_string(file, event->file)
        lttng_ust_field_integer(uint64_t, line, event->line)
        lttng_ust_field_string(function, event->function)
        lttng_ust_field_string(frames, event->frames)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, caller, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, statement_run,
    LTTNG_UST_TP_ARGS(const struct statement_run *, event),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, context_id, storescope_begin(event->delivery))
        lttng_ust_field_integer(uint64_t, connection_id, event->connection_id)
        lttng_ust_field_integer(uint64_t, statement_id, event->statement_id)
        lttng_ust_field_integer(uint64_t, run_id, event->run_id)
        lttng_ust_field_integer(uint64_t, transaction_id, event->transaction_id)
        lttng_ust_field_integer(uint64_t, caller_id, event->caller_id)
        lttng_ust_field_integer(uint64_t, bind_hash, event->bind_hash)
        lttng_ust_field_integer(int64_t, step_ns, event->step_ns)
        lttng_ust_field_integer(int64_t, open_ns, event->open_ns)
        lttng_ust_field_integer(uint64_t, rows, event->rows)
        lttng_ust_field_integer(uint64_t, changes, event->changes)
        lttng_ust_field_integer(uint64_t, readonly, event->readonly)
        lttng_ust_field_integer(uint64_t, vm_steps, event->vm_steps)
        lttng_ust_field_integer(uint64_t, fullscan_steps, event->fullscan_steps)
        lttng_ust_field_integer(uint64_t, sorts, event->sorts)
        lttng_ust_field_integer(uint64_t, autoindex_rows, event->autoindex_rows)
        lttng_ust_field_integer(uint64_t, memory, event->memory)
        lttng_ust_field_integer(uint64_t, reprepares, event->reprepares)
        lttng_ust_field_integer(uint64_t, filter_hits, event->filter_hits)
        lttng_ust_field_integer(uint64_t, filter_misses, event->filter_misses)
        lttng_ust_field_integer(uint64_t, timed_steps, event->timed_steps)
        lttng_ust_field_string(error, storescope_accept(event->delivery, event->error))
        RECORDING_DELIVERED))
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, statement_run, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, transaction,
    LTTNG_UST_TP_ARGS(const struct transaction *, event),
    LTTNG_UST_TP_FIELDS(
        CONTEXT
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
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, transaction, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, busy,
    LTTNG_UST_TP_ARGS(uint64_t, store_id, uint64_t, attempts, int64_t, wait_ns, uint64_t, gave_up),
    LTTNG_UST_TP_FIELDS(
        CONTEXT
        lttng_ust_field_integer(uint64_t, store_id, store_id)
        lttng_ust_field_integer(uint64_t, attempts, attempts)
        lttng_ust_field_integer(int64_t, wait_ns, wait_ns)
        lttng_ust_field_integer(uint64_t, gave_up, gave_up)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, busy, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, checkpoint,
    LTTNG_UST_TP_ARGS(uint64_t, store_id, const char *, mode, uint64_t, log_frames, uint64_t, checkpointed_frames, int64_t, total_ns),
    LTTNG_UST_TP_FIELDS(
        CONTEXT
        lttng_ust_field_integer(uint64_t, store_id, store_id)
        lttng_ust_field_string(mode, mode)
        lttng_ust_field_integer(uint64_t, log_frames, log_frames)
        lttng_ust_field_integer(uint64_t, checkpointed_frames, checkpointed_frames)
        lttng_ust_field_integer(int64_t, total_ns, total_ns)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, checkpoint, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, values,
    LTTNG_UST_TP_ARGS(uint64_t, store_id, uint64_t, statement_id, const char *, values),
    LTTNG_UST_TP_FIELDS(
        CONTEXT
        lttng_ust_field_integer(uint64_t, store_id, store_id)
        lttng_ust_field_integer(uint64_t, statement_id, statement_id)
        lttng_ust_field_string(values, values)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, values, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, counters,
    LTTNG_UST_TP_ARGS(uint64_t, events),
    LTTNG_UST_TP_FIELDS(
        CONTEXT
        lttng_ust_field_integer(uint64_t, store_id, 0)
        lttng_ust_field_integer(uint64_t, fetches, 0)
        lttng_ust_field_integer(uint64_t, faults, 0)
        lttng_ust_field_integer(uint64_t, cache_hits, 0)
        lttng_ust_field_integer(uint64_t, cache_misses, 0)
        lttng_ust_field_integer(uint64_t, saves, 0)
        lttng_ust_field_integer(uint64_t, events, events)
        lttng_ust_field_integer(int64_t, tracing_ns, 0)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, counters, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, copy_not_observed,
    LTTNG_UST_TP_ARGS(const char *, sqlite_path, const char *, sqlite_version, const char *, reason),
    LTTNG_UST_TP_FIELDS(
        CONTEXT
        lttng_ust_field_string(sqlite_path, sqlite_path)
        lttng_ust_field_string(sqlite_version, sqlite_version)
        lttng_ust_field_string(reason, reason)
        RECORDING))
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, copy_not_observed, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, statement_io,
    LTTNG_UST_TP_ARGS(const struct statement_io *, event),
    LTTNG_UST_TP_FIELDS(
        CONTEXT
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
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, statement_io, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
    sqliteprobe, commit_io,
    LTTNG_UST_TP_ARGS(const struct commit_io *, event),
    LTTNG_UST_TP_FIELDS(
        CONTEXT
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
LTTNG_UST_TRACEPOINT_LOGLEVEL(sqliteprobe, commit_io, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

#endif

#include <lttng/tracepoint-event.h>
