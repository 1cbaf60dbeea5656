// SPDX-License-Identifier: Apache-2.0

// The open connections of the process, and our trace callback on them.

#include "probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BUCKETS = 1024 };

// Chains only grow. A closed connection stays in them, and its entry is reused when SQLite
// allocates another one at the same address, so readers take no lock.
static struct connection *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t last_id;

static struct connection **bucket_of(sqlite3 *handle) {
  return &buckets[((uintptr_t)handle >> 6) * 0x9e3779b97f4a7c15u >> 54];
}

static struct connection *find_any(sqlite3 *handle) {
  struct connection *connection = __atomic_load_n(bucket_of(handle), __ATOMIC_ACQUIRE);
  while (connection && connection->handle != handle) connection = connection->next;
  return connection;
}

struct connection *find_connection(sqlite3 *handle) {
  struct connection *connection = find_any(handle);
  return connection && !connection->is_closed ? connection : NULL;
}

int lingering;

void linger(struct connection *connection) {
  if (connection->is_lingering) return;
  connection->is_lingering = true;
  __atomic_add_fetch(&lingering, 1, __ATOMIC_RELAXED);
}

struct connection *closed_with(struct copy *copy, sqlite3_stmt *stmt) {
  const struct sqlite_api *api = &copy->api;
  sqlite3 *handle = stmt ? api->db_handle(stmt) : NULL;
  struct connection *connection = handle ? find_connection(handle) : NULL;
  if (!connection || !connection->is_lingering) return NULL;
  return api->next_stmt(handle, NULL) == stmt && !api->next_stmt(handle, stmt) ? connection : NULL;
}

static struct connection *make_connection(sqlite3 *handle) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (!connection) return NULL;
  connection->handle = handle;
  struct connection **bucket = bucket_of(handle);
  connection->next = *bucket;
  __atomic_store_n(bucket, connection, __ATOMIC_RELEASE);
  return connection;
}

// Registers a connection; its events begin when a listener is enabled.
struct connection *open_connection(struct copy *copy, sqlite3 *handle, enum way way,
                                   bool is_hooked) {
  start_recording_once();
  pthread_mutex_lock(&lock);
  struct connection *connection = find_any(handle);
  if (connection) {
    free(connection->io);
    if (connection->is_lingering && !connection->is_closed)
      __atomic_sub_fetch(&lingering, 1, __ATOMIC_RELAXED);
    struct connection *next = connection->next;
    memset(connection, 0, sizeof *connection);
    connection->next = next;
    connection->handle = handle;
  } else {
    connection = make_connection(handle);
  }
  if (connection) {
    connection->copy = copy;
    connection->way = way;
    connection->is_hooked = is_hooked;
    connection->id = ++last_id;
    connection->is_excluded = this_thread.excluding > 0;
    const char *path = copy->api.db_filename(handle, "main");
    connection->has_file = path && *path;
  }
  pthread_mutex_unlock(&lock);
  if (!connection || connection->is_excluded) return connection;
  io_opened(connection);
  // A copy whose calls are not hooked is observed by its callbacks alone.
  if (!is_hooked)
    set_trace(connection, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW |
                              SQLITE_TRACE_CLOSE);
  if (is_recording()) announce_connection(connection);
  return connection;
}

static const char *const way_names[] = {"got", "extension", "symbols", "handle"};

static void emit_connection(struct connection *connection) {
  const struct sqlite_api *api = &connection->copy->api;
  sqlite3 *handle = connection->handle;
  const char *path = api->db_filename(handle, "main");
  char *vfs = NULL;
  api->file_control(handle, "main", SQLITE_FCNTL_VFSNAME, &vfs);
  struct stat file;
  bool has_file = path && *path && stat(path, &file) == 0;
  struct connection_opened_event event = {
      .connection_id = connection->id,
      .path = path ? path : "",
      .vfs = vfs ? vfs : "",
      .flags = api->db_readonly(handle, "main") == 1,
      .sqlite_version = api->libversion(),
      .sqlite_path = connection->copy->path,
      .way = way_names[connection->way],
      .device = has_file ? file.st_dev : 0,
      .inode = has_file ? file.st_ino : 0,
      .process_start_ns = process_start_ns(),
      .process_name = process_name(),
  };
  emit(EVENT_connection_opened, &event);
  if (vfs) api->free(vfs);
}

// Reports a connection once, and again after a fork or when a listener begins.
void announce_connection(struct connection *connection) {
  unsigned current = __atomic_load_n(&generation, __ATOMIC_RELAXED);
  if (__atomic_exchange_n(&connection->announced_generation, current, __ATOMIC_RELAXED) == current)
    return;
  int error = errno;
  emit_connection(connection);
  announce_test(connection);
  errno = error;
}

void close_connection(struct connection *connection) {
  if (connection->is_closed) return;
  connection->is_closed = true;
  if (connection->is_lingering) __atomic_sub_fetch(&lingering, 1, __ATOMIC_RELAXED);
  if (connection->is_excluded || !is_recording()) return;
  flush_pending(connection, SQLITE_OK);
  transaction_at_close(connection);
  if (connection->io) io_closed(connection);
  if (connection->announced_generation != 0) EMIT(connection_closed, .connection_id = connection->id);
}

static void install_trace(struct connection *connection, unsigned mask) {
  struct copy *copy = connection->copy;
  if (connection->program_trace) mask |= connection->program_mask;
  if (connection->program_plain_trace) mask |= SQLITE_TRACE_STMT;
  if (connection->is_profiled) mask |= SQLITE_TRACE_PROFILE;
  // SQLite calls a profile callback beside each trace callback.
  if (connection->program_profile) copy->real.profile(connection->handle, NULL, NULL);
  copy->api.trace_v2(connection->handle, mask, traced, connection);
}

// Sets the program's own callbacks as the program did: the later call takes effect, except that
// sqlite3_profile() keeps what sqlite3_trace_v2() set.
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

// A callback that the program sets on a copy whose calls are not hooked replaces ours: such a
// connection ran nothing that was seen, and was not seen to be closed.
void report_silent_connections(void) {
  for (int i = 0; i < BUCKETS; i++)
    for (struct connection *at = buckets[i]; at; at = at->next) {
      if (at->is_hooked || at->is_excluded || at->is_closed || at->is_called) continue;
      emit_copy_not_observed(at->copy->path, at->copy->api.libversion(),
                             "a connection called no trace callback of the probe; the program may "
                             "have set its own");
      return;
    }
}

// The thread that forked may not be the one that held the lock.
void connections_after_fork(void) { pthread_mutex_init(&lock, NULL); }
