// SPDX-License-Identifier: Apache-2.0

// Checkpoints: by calls of the program, by a PRAGMA, and automatic ones if SQLite calls its own function through a
// slot.

#define _GNU_SOURCE
#include "checkpoints.h"

#include <string.h>

#include "process.h"
#include "recording.h"
#include "runs.h"

static const char *const modes[] = {"passive", "full", "restart", "truncate"};

static void emit_checkpoint(const struct connection *connection, const char *mode, int frames,
                            int done, int64_t total_ns) {
  EMIT(checkpoint, .store_id = connection->id, .mode = mode, .log_frames = (uint64_t)frames,
       .checkpointed_frames = done > 0 ? (uint64_t)done : 0, .total_ns = total_ns);
}

int checkpoint_recorded(struct copy *copy, sqlite3 *handle, const char *schema, int mode,
                        int *log_frames, int *checkpointed) {
  struct connection *connection = find_connection(handle);
  if (!connection || connection->is_excluded)
    return copy->real.wal_checkpoint_v2(handle, schema, mode, log_frames, checkpointed);
  int frames = -1, done = -1;
  struct connection *outer = this_thread.inside;
  this_thread.inside = connection;
  int64_t start = clock_now();
  int code = copy->real.wal_checkpoint_v2(handle, schema, mode, &frames, &done);
  int64_t total = clock_now() - start;
  this_thread.inside = outer;
  if (log_frames) *log_frames = frames;
  if (checkpointed) *checkpointed = done;
  if (code == SQLITE_OK && frames >= 0 && mode >= 0 && mode < 4)
    emit_checkpoint(connection, modes[mode], frames, done, total);
  // Within a step the run reports its waits.
  else if (!outer) report_waits(connection, code);
  return code;
}

// The mode of `PRAGMA wal_checkpoint(FULL)`.
static const char *mode_of(const char *sql) {
  for (size_t i = 1; i < sizeof modes / sizeof *modes; i++)
    if (strcasestr(sql, modes[i])) return modes[i];
  return modes[0];
}

// Reports the row that PRAGMA wal_checkpoint returned: whether it was blocked, and two counts.
void checkpoint_returned(struct statement *statement, int64_t duration) {
  const struct sqlite_api *api = &statement->connection->copy->api;
  int frames = api->column_int(statement->stmt, 1);
  int done = api->column_int(statement->stmt, 2);
  if (frames < 0) return;
  emit_checkpoint(statement->connection, mode_of(command_of(statement->text)), frames, done, duration);
}
