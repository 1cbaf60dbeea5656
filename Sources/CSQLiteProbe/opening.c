// SPDX-License-Identifier: Apache-2.0

// The opening and closing of connections, and our trace callback on them.

#include "opening.h"

#include "callers.h"
#include "io.h"
#include "program-trace.h"
#include "recording.h"
#include "runs.h"
#include "trace.h"
#include "transactions.h"

static void install_trace(struct connection *connection, unsigned mask) {
  struct copy *copy = connection->copy;
  if (connection->program_trace) mask |= connection->program_mask;
  if (connection->program_plain_trace) mask |= SQLITE_TRACE_STMT;
  if (connection->is_profiled) mask |= SQLITE_TRACE_PROFILE;
  // SQLite calls a profile callback beside each trace callback.
  if (connection->program_profile) copy->real.profile(connection->handle, NULL, NULL);
  copy->api.trace_v2(connection->handle, mask, traced, connection);
}

// Sets the program's own callbacks as the program did: the later call takes effect, except that sqlite3_profile()
// keeps the callback of sqlite3_trace_v2().
static void restore_trace(const struct connection *connection) {
  const struct copy *copy = connection->copy;
  sqlite3 *handle = connection->handle;
  bool has_profile = connection->program_profile != NULL;
  if (has_profile && !connection->is_profiled)
    copy->real.profile(handle, connection->program_profile, connection->program_profile_context);
  if (connection->program_plain_trace)
    copy->real.trace(handle, connection->program_plain_trace, connection->program_plain_context);
  else if (connection->program_trace)
    copy->api.trace_v2(handle, connection->program_mask, connection->program_trace,
                       connection->program_trace_context);
  else
    copy->api.trace_v2(handle, 0, NULL, connection->program_plain_context);
  if (has_profile && connection->is_profiled)
    copy->real.profile(handle, connection->program_profile, connection->program_profile_context);
}

// Installs our callback, which calls the program's as well; with a mask of 0 removes it.
void set_trace(struct connection *connection, unsigned mask) {
  connection->mask = mask;
  connection->is_traced = mask != 0;
  if (mask != 0) install_trace(connection, mask);
  else restore_trace(connection);
}

// Registers a connection; its events begin when a listener is enabled.
struct connection *open_connection(struct copy *copy, sqlite3 *handle, enum way way,
                                   bool is_hooked) {
  start_recording_once();
  struct connection *connection = add_connection(copy, handle, way, is_hooked);
  if (!connection || connection->is_excluded) return connection;
  io_opened(connection);
  // A copy without hooked calls is observed by its callbacks alone.
  if (!is_hooked)
    set_trace(connection, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW |
                              SQLITE_TRACE_CLOSE);
  watch_databases(connection);
  if (is_recording()) announce_connection(connection, connection->is_adopted ? 0 : caller_of_call(true));
  return connection;
}

static void adopt(struct connection *connection, struct copy *copy, sqlite3 *handle) {
  bool is_hooked = connection->is_closed || connection->is_hooked;
  // A call of sqlite3_exec() that runs has our callback instead of the program's.
  bool has_trace = connection->exec_depth > 0 || connection->is_traced;
  if (connection->is_closed || connection->copy != copy) {
    this_thread.is_adopting = true;
    open_connection(copy, handle, WAY_GOT, true);
    this_thread.is_adopting = false;
  } else {
    connection->is_adopted = true;
    connection->has_pending = false;
    connection->transaction_id = 0;
    find_file(connection);
    watch_databases(connection);
  }
  if (is_hooked && !has_trace && !connection->is_excluded) find_program_trace(connection);
  __atomic_store_n(&connection->recording, current_recording, __ATOMIC_RELEASE);
}

struct connection *known_connection(struct copy *copy, sqlite3 *handle) {
  struct connection *connection = find_connection(handle);
  if (LIKELY(connection && connection->recording == current_recording) || !handle) return connection;
  connection = claim_connection(handle);
  if (!connection) return NULL;
  adopt(connection, copy, handle);
  __atomic_store_n(&connection->is_claimed, false, __ATOMIC_RELEASE);
  return connection;
}

void close_connection(struct connection *connection) {
  if (connection->is_closed) return;
  connection->is_closed = true;
  unwatch_databases(connection);
  if (connection->is_lingering) __atomic_sub_fetch(&lingering, 1, __ATOMIC_RELAXED);
  if (connection->is_excluded || !is_recording()) return;
  flush_pending(connection, SQLITE_OK);
  transaction_at_close(connection);
  if (connection->io) io_closed(connection);
  if (connection->announced_generation != 0) EMIT(connection_closed, .connection_id = connection->id);
}
