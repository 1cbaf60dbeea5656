// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CStoreTracepoints.h"

#include <stdlib.h>
#include <unistd.h>

#ifdef STORE_LTTNG

/* Before the first tracepoint: set once, by the constructor below. */
static int64_t CStoreTracepoints_recording;

__attribute__((constructor)) static void read_recording(void) {
  const char *number = getenv("STORE_TRACE_RECORDING");
  if (number) CStoreTracepoints_recording = strtoll(number, NULL, 10);
}

// Hidden definition: the enabled check takes 18 instructions instead of 31 (objdump).
#define LTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "objectstore-provider.h"

#define ENABLED(event) lttng_ust_tracepoint_enabled(objectstore, event)
#define EMIT(...) lttng_ust_tracepoint(objectstore, __VA_ARGS__)

#else

#define ENABLED(event) false
#define EMIT(event, ...) ((void)0)

#endif

int32_t CStoreTracepoints_thread_id(void) {
  static _Thread_local int32_t id;
  if (id == 0) id = gettid();
  return id;
}

// The provider's events.
#define EVENTS(X) \
  X(store_opened) X(context_created) X(statement) X(values) X(busy) X(checkpoint) X(fetch_begin) X(fetch_end) \
  X(fault) X(cache_miss) X(save_begin) X(save_end) X(transaction) X(counters) X(statement_io) X(commit_io)

// `|`, not `||`: loads without branches; 1.2 ns (perf, release build).
#define OR_ENABLED(event) | ENABLED(event)
bool CStoreTracepoints_any_enabled(void) { return false EVENTS(OR_ENABLED); }

void CStoreTracepoints_store_opened(
    uint64_t context_id, uint64_t store_id, const char *path, const char *journal_mode,
    uint64_t page_size, const char *sqlite_version, int64_t process_start_ns,
    const char *process_name) {
  EMIT(store_opened, context_id, store_id, path, journal_mode, page_size, sqlite_version,
    process_start_ns, process_name);
}

void CStoreTracepoints_statement(
    uint64_t context_id, uint64_t store_id, uint64_t statement_id, const char *sql) {
  EMIT(statement, context_id, store_id, statement_id, sql);
}

void CStoreTracepoints_values(
    uint64_t context_id, uint64_t store_id, uint64_t statement_id, const char *values) {
  EMIT(values, context_id, store_id, statement_id, values);
}

void CStoreTracepoints_busy(
    uint64_t context_id, uint64_t store_id, uint64_t attempts, int64_t wait_ns, uint64_t gave_up) {
  EMIT(busy, context_id, store_id, attempts, wait_ns, gave_up);
}

void CStoreTracepoints_context_created(
    uint64_t context_id, uint64_t store_id, uint64_t parent_context_id, const char *queue,
    const char *name) {
  EMIT(context_created, context_id, store_id, parent_context_id, queue, name);
}

void CStoreTracepoints_checkpoint(
    uint64_t context_id, uint64_t store_id, const char *mode, uint64_t log_frames,
    uint64_t checkpointed_frames, int64_t total_ns) {
  EMIT(checkpoint, context_id, store_id, mode, log_frames, checkpointed_frames, total_ns);
}

void CStoreTracepoints_fetch_begin(
    uint64_t context_id, uint64_t fetch_id, uint64_t parent_id, const char *entity,
    const char *file, uint64_t line) {
  EMIT(fetch_begin, context_id, fetch_id, parent_id, entity, file, line);
}

void CStoreTracepoints_fetch_end(const struct CStoreTracepoints_fetch_end *event) {
  EMIT(fetch_end, event);
}

void CStoreTracepoints_fault(
    uint64_t context_id, const char *entity, int64_t pk, const char *relationship,
    const char *source, int64_t duration_ns, uint64_t rows, uint64_t origin_fetch_id,
    const char *origin_file, uint64_t origin_line) {
  EMIT(fault, context_id, entity, pk, relationship, source, duration_ns, rows, origin_fetch_id,
    origin_file, origin_line);
}

void CStoreTracepoints_cache_miss(
    uint64_t context_id, const char *entity, int64_t pk, const char *relationship,
    int64_t duration_ns, uint64_t statement_id, uint64_t vm_steps, uint64_t fullscan_steps,
    uint64_t origin_fetch_id) {
  EMIT(cache_miss, context_id, entity, pk, relationship, duration_ns, statement_id, vm_steps,
    fullscan_steps, origin_fetch_id);
}

void CStoreTracepoints_save_begin(
    uint64_t context_id, uint64_t save_id, uint64_t inserted, uint64_t updated, uint64_t deleted,
    const char *file, uint64_t line) {
  EMIT(save_begin, context_id, save_id, inserted, updated, deleted, file, line);
}

void CStoreTracepoints_save_end(const struct CStoreTracepoints_save_end *event) {
  EMIT(save_end, event);
}

void CStoreTracepoints_transaction(const struct CStoreTracepoints_transaction *event) {
  EMIT(transaction, event);
}

void CStoreTracepoints_counters(
    uint64_t context_id, uint64_t store_id, uint64_t fetches, uint64_t faults, uint64_t cache_hits,
    uint64_t cache_misses, uint64_t saves, uint64_t events, int64_t tracing_ns) {
  EMIT(counters, context_id, store_id, fetches, faults, cache_hits, cache_misses, saves, events,
    tracing_ns);
}

void CStoreTracepoints_statement_io(const struct CStoreTracepoints_statement_io *event) { EMIT(statement_io, event); }

void CStoreTracepoints_commit_io(const struct CStoreTracepoints_commit_io *event) { EMIT(commit_io, event); }
