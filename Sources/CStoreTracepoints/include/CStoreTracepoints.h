// SPDX-License-Identifier: Apache-2.0

// The LTTng-UST provider `objectstore` as plain C. LTTng's macros, which Swift cannot import, are
// not in this header. Without STORE_LTTNG every function exists, none is enabled, and none has an
// effect.
//
// One function an event, the fields in the order of StoreEvents' payloads after `context_id`.
// Strings are UTF-8 that ends in NUL; times are in nanoseconds.

#ifndef CStoreTracepoints_h
#define CStoreTracepoints_h

#include <stdbool.h>
#include <stdint.h>

// The kernel's id of the calling thread, kept per thread; Swift's Glibc does not show `gettid`.
int32_t CStoreTracepoints_thread_id(void);

// Calls a function with the exit code when the process ends by exit(), after what atexit() registered.
void CStoreTracepoints_at_end(void (*function)(int32_t status));

// Whether any event of the provider is enabled in any session.
bool CStoreTracepoints_any_enabled(void);

void CStoreTracepoints_store_opened(
    uint64_t context_id, uint64_t store_id, const char *path, const char *journal_mode,
    uint64_t page_size, const char *sqlite_version, int64_t process_start_ns,
    const char *process_name);

void CStoreTracepoints_statement(
    uint64_t context_id, uint64_t store_id, uint64_t statement_id, const char *sql);

void CStoreTracepoints_values(
    uint64_t context_id, uint64_t store_id, uint64_t statement_id, const char *values);

void CStoreTracepoints_busy(
    uint64_t context_id, uint64_t store_id, uint64_t attempts, int64_t wait_ns, uint64_t gave_up);

void CStoreTracepoints_context_created(
    uint64_t context_id, uint64_t store_id, uint64_t parent_context_id, const char *queue,
    const char *name);
void CStoreTracepoints_checkpoint(
    uint64_t context_id, uint64_t store_id, const char *mode, uint64_t log_frames,
    uint64_t checkpointed_frames, int64_t total_ns);

void CStoreTracepoints_fetch_begin(
    uint64_t context_id, uint64_t fetch_id, uint64_t parent_id, const char *entity,
    const char *file, uint64_t line);

// LTTng takes at most ten arguments: this event goes by reference.
struct CStoreTracepoints_fetch_end {
  uint64_t context_id;
  uint64_t fetch_id;
  uint64_t parent_id;
  const char *entity;
  const char *kind;
  uint64_t statement_id;
  uint64_t bind_hash;
  int64_t wait_ns;
  int64_t prepare_ns;
  int64_t step_ns;
  int64_t materialize_ns;
  int64_t connection_ns;
  int64_t total_ns;
  uint64_t rows;
  uint64_t vm_steps;
  uint64_t fullscan_steps;
  uint64_t sorts;
  uint64_t autoindex_rows;
  uint64_t limit;
  uint64_t offset;
  uint64_t batch_size;
  const char *error;
};
void CStoreTracepoints_fetch_end(const struct CStoreTracepoints_fetch_end *event);

void CStoreTracepoints_fault(
    uint64_t context_id, const char *entity, int64_t pk, const char *relationship,
    const char *source, int64_t duration_ns, uint64_t rows, uint64_t origin_fetch_id,
    const char *origin_file, uint64_t origin_line);

void CStoreTracepoints_cache_miss(
    uint64_t context_id, const char *entity, int64_t pk, const char *relationship,
    int64_t duration_ns, uint64_t statement_id, uint64_t vm_steps, uint64_t fullscan_steps,
    uint64_t origin_fetch_id);

void CStoreTracepoints_save_begin(
    uint64_t context_id, uint64_t save_id, uint64_t inserted, uint64_t updated, uint64_t deleted,
    const char *file, uint64_t line);

// LTTng takes at most ten arguments: this event goes by reference.
struct CStoreTracepoints_save_end {
  uint64_t context_id;
  uint64_t save_id;
  uint64_t inserted;
  uint64_t updated;
  uint64_t deleted;
  uint64_t statements;
  int64_t wait_ns;
  int64_t write_ns;
  int64_t commit_ns;
  int64_t total_ns;
  const char *file;
  uint64_t line;
  const char *error;
};
void CStoreTracepoints_save_end(const struct CStoreTracepoints_save_end *event);

// LTTng takes at most ten arguments: this event goes by reference.
struct CStoreTracepoints_transaction {
  uint64_t context_id;
  uint64_t store_id;
  uint64_t save_id;
  const char *outcome;
  int64_t wait_ns;
  int64_t total_ns;
  uint64_t transaction_id;
  const char *kind;
  int64_t writer_ns;
  uint64_t statements;
  int64_t idle_ns;
  uint64_t log_bytes;
};
void CStoreTracepoints_transaction(const struct CStoreTracepoints_transaction *event);

void CStoreTracepoints_counters(
    uint64_t context_id, uint64_t store_id, uint64_t fetches, uint64_t faults, uint64_t cache_hits,
    uint64_t cache_misses, uint64_t saves, uint64_t events, int64_t tracing_ns);

struct CStoreTracepoints_statement_io {
  uint64_t context_id;
  uint64_t store_id;
  uint64_t run_id;
  uint64_t cache_hits;
  uint64_t cache_misses;
  uint64_t reads;
  uint64_t read_bytes;
  int64_t read_ns;
  uint64_t writes;
  uint64_t write_bytes;
  int64_t write_ns;
  uint64_t syncs;
  int64_t sync_ns;
  int64_t checkpoint_ns;
};

void CStoreTracepoints_statement_io(const struct CStoreTracepoints_statement_io *event);

struct CStoreTracepoints_commit_io {
  uint64_t context_id;
  uint64_t store_id;
  uint64_t transaction_id;
  uint64_t save_id;
  int64_t wait_ns;
  int64_t body_ns;
  int64_t log_ns;
  int64_t file_ns;
  int64_t sync_ns;
  int64_t checkpoint_ns;
  int64_t commit_ns;
  int64_t total_ns;
  uint64_t changes;
  uint64_t log_writes;
  uint64_t file_writes;
  uint64_t syncs;
  uint64_t checkpoints;
  uint64_t checkpoint_writes;
  uint64_t checkpoint_syncs;
};

void CStoreTracepoints_commit_io(const struct CStoreTracepoints_commit_io *event);

#endif
