// SPDX-License-Identifier: Apache-2.0

// With STORE_TRACE_IO=1: the reads, writes and syncs of statements and commits, with their times.
// SQLite works on the thread that calls it, so the counts of a thread since its last run belong to
// its next run.

#include "io.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "CSQLiteFiles.h"
#include "recording.h"

struct connection_io {
  struct CSQLiteFiles_counts run;
  struct CSQLiteFiles_counts transaction;
  uint64_t changes;
  // SQLite's own numbers at the end of the last run.
  uint32_t cache_hits, cache_misses;
};

static bool is_wanted;

static bool takes_database(void) { return this_thread.excluding == 0; }
static bool is_counting(void) { return is_recording(); }

static void start(void) {
  const char *setting = getenv("STORE_TRACE_IO");
  is_wanted = setting && *setting && strcmp(setting, "0") != 0;
  CSQLiteFiles_conditions =
      (struct CSQLiteFiles_conditions){.takes_database = takes_database, .is_counting = is_counting};
}

static bool io_is_wanted(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
  return is_wanted;
}

void io_will_open(const struct copy *copy) {
  if (!io_is_wanted()) return;
  // The first events of a process: the database's header is read while it is opened.
  start_recording_once();
  CSQLiteFiles_observe(copy->api.vfs_find);
}

void io_opened(struct connection *connection) {
  if (!io_is_wanted()) return;
  const struct sqlite_api *api = &connection->copy->api;
  CSQLiteFiles_observe(api->vfs_find);
  void *file = NULL;
  // Opened already, where the probe found the copy only now.
  if (api->file_control(connection->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK)
    CSQLiteFiles_wrap(file, api->db_filename(connection->handle, "main"));
  connection->io = calloc(1, sizeof *connection->io);
}

static uint32_t cache_status(const struct connection *connection, int operation) {
  int now = 0, highest = 0;
  connection->copy->api.db_status(connection->handle, operation, &now, &highest, 0);
  return (uint32_t)now;
}

static void emit_io(struct connection *connection, uint64_t run_id, uint64_t hits, uint64_t misses) {
  const struct CSQLiteFiles_counts *run = &connection->io->run;
  struct statement_io_event event = {
      .store_id = connection->id,
      .run_id = run_id,
      .cache_hits = hits,
      .cache_misses = misses,
      .reads = run->reads,
      .read_bytes = run->read_bytes,
      .read_ns = run->read_ns,
      .writes = run->writes,
      .write_bytes = run->write_bytes,
      .write_ns = run->write_ns,
      .syncs = run->syncs,
      .sync_ns = run->sync_ns,
      .checkpoint_ns = run->checkpoint_ns,
  };
  if (hits + misses + run->reads + run->writes + run->syncs > 0) emit(EVENT_statement_io, &event);
}

void io_of_run(struct connection *connection, const struct ended_run *run) {
  struct connection_io *io = connection->io;
  uint32_t hits = cache_status(connection, SQLITE_DBSTATUS_CACHE_HIT);
  uint32_t misses = cache_status(connection, SQLITE_DBSTATUS_CACHE_MISS);
  io->run = CSQLiteFiles_take();
  // The total counts, if the program reset them.
  emit_io(connection, run->event.run_id, hits >= io->cache_hits ? hits - io->cache_hits : hits,
          misses >= io->cache_misses ? misses - io->cache_misses : misses);
  io->cache_hits = hits;
  io->cache_misses = misses;
  CSQLiteFiles_add(&io->transaction, &io->run);
  io->changes += run->event.changes;
}

// The run that began it was counted.
void io_transaction_began(struct connection *connection) {
  connection->io->transaction = connection->io->run;
  connection->io->changes = 0;
}

// The last checkpoint and the removal of the log, when the last connection closes.
void io_closed(struct connection *connection) {
  connection->io->run = CSQLiteFiles_take();
  emit_io(connection, 0, 0, 0);
  free(connection->io);
  connection->io = NULL;
}

static int64_t parts(const struct CSQLiteFiles_counts *counts) {
  return counts->log_ns + counts->file_ns + counts->commit_sync_ns + counts->checkpoint_ns;
}

static int64_t not_negative(int64_t time) { return time > 0 ? time : 0; }

void io_committed(struct connection *connection, const struct ended_run *run,
                  const struct transaction_event *transaction) {
  const struct connection_io *io = connection->io;
  bool is_explicit = transaction->transaction_id != 0;
  if (transaction->writer_ns < 0) return;
  const struct CSQLiteFiles_counts *counts = is_explicit ? &io->transaction : &io->run;
  // In autocommit mode the body and the commit are one step.
  int64_t commit =
      is_explicit ? not_negative(run->end - run->start - run->wait_ns - parts(&io->run)) : 0;
  struct commit_io_event event = {
      .store_id = connection->id,
      .transaction_id = transaction->transaction_id,
      .wait_ns = transaction->wait_ns,
      .body_ns = not_negative(transaction->total_ns - transaction->wait_ns - parts(counts) - commit),
      .log_ns = counts->log_ns,
      .file_ns = counts->file_ns,
      .sync_ns = counts->commit_sync_ns,
      .checkpoint_ns = counts->checkpoint_ns,
      .commit_ns = commit,
      .total_ns = transaction->total_ns,
      .changes = is_explicit ? io->changes : run->event.changes,
      .log_writes = counts->log_writes,
      .file_writes = counts->file_writes,
      .syncs = counts->commit_syncs,
      .checkpoints = counts->checkpoints,
      .checkpoint_writes = counts->checkpoint_writes,
      .checkpoint_syncs = counts->checkpoint_syncs,
  };
  emit(EVENT_commit_io, &event);
}
