// SPDX-License-Identifier: Apache-2.0

// The open connections of the process, and our trace callback on them.

#include "connections.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file-system.h"
#include "hash.h"
#include "lifecycle.h"
#include "process.h"
#include "recording.h"
#include "test-name.h"

enum { BUCKETS = 1024 };

// Chains only grow. A closed connection stays in them, and its entry is reused when SQLite
// allocates another one at the same address, so readers take no lock.
static struct connection *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t last_id;
// The forks between the first process and this one.
static unsigned forks;

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

void find_file(struct connection *connection) {
  const char *path = connection->copy->api.db_filename(connection->handle, "main");
  connection->has_file = path && *path;
}

struct connection *claim_connection(sqlite3 *handle) {
  pthread_mutex_lock(&lock);
  struct connection *connection = find_any(handle);
  if (!connection && (connection = make_connection(handle))) connection->is_closed = true;
  bool is_claimed = connection && connection->is_claimed;
  if (connection) connection->is_claimed = true;
  pthread_mutex_unlock(&lock);
  return is_claimed ? NULL : connection;
}

// `file:name?mode=memory&cache=shared`: all connections of a process to this name have one database.
static uint64_t shared_memory(const char *name) {
  if (!name || strncmp(name, "file:", 5) != 0 || !strstr(name, "cache=shared")) return 0;
  if (!strstr(name, "mode=memory") && strncmp(name + 5, ":memory:", 8) != 0) return 0;
  return hash_bytes(name, strcspn(name, "?"), 1) | 1;
}

struct connection *add_connection(struct copy *copy, sqlite3 *handle, enum way way, bool is_hooked) {
  pthread_mutex_lock(&lock);
  struct connection *connection = find_any(handle);
  if (connection) {
    free(connection->io);
    if (connection->is_lingering && !connection->is_closed)
      __atomic_sub_fetch(&lingering, 1, __ATOMIC_RELAXED);
    // SQLite may have our handler, which calls the program's.
    const struct connection old = *connection;
    memset(connection, 0, sizeof *connection);
    connection->next = old.next;
    connection->handle = handle;
    connection->is_claimed = old.is_claimed;
    connection->program_busy = old.program_busy;
    connection->program_busy_context = old.program_busy_context;
  } else {
    connection = make_connection(handle);
  }
  if (connection) {
    connection->copy = copy;
    connection->way = way;
    connection->is_hooked = is_hooked;
    connection->id = ++last_id;
    connection->recording = current_recording;
    connection->is_excluded = this_thread.excluding > 0;
    connection->forks = forks;
    connection->is_adopted = this_thread.is_adopting;
    connection->memory = shared_memory(this_thread.opening);
    find_file(connection);
  }
  pthread_mutex_unlock(&lock);
  return connection;
}

static const char *const way_names[] = {"got", "extension", "symbols", "handle"};

static void emit_connection(struct connection *connection, uint64_t opener_id) {
  const struct sqlite_api *api = &connection->copy->api;
  sqlite3 *handle = connection->handle;
  const char *path = api->db_filename(handle, "main");
  char *vfs = NULL, file_system[64] = "";
  api->file_control(handle, "main", SQLITE_FCNTL_VFSNAME, &vfs);
  struct stat file;
  bool has_file = path && *path && stat(path, &file) == 0;
  if (has_file) remote_file_system(path, file.st_dev, file_system, sizeof file_system);
  struct connection_opened_event event = {
      .connection_id = connection->id,
      .path = path ? path : "",
      .vfs = vfs ? vfs : "",
      .flags = api->db_readonly(handle, "main") == 1,
      .sqlite_version = api->libversion(),
      .sqlite_path = connection->copy->path,
      .way = way_names[connection->way],
      .device = has_file ? file.st_dev : connection->memory,
      .inode = has_file ? file.st_ino : 0,
      .process_start_ns = process_start_ns(),
      .process_name = process_name(),
      .adopted = connection->is_adopted,
      .file_system = file_system,
      .caller_id = opener_id,
  };
  emit(EVENT_connection_opened, &event);
  if (vfs) api->free(vfs);
}

// Announces an ATTACH with the whole path of each attached database: the path is often bound, or relative.
void announce_attached(const struct connection *connection) {
  const struct sqlite_api *api = &connection->copy->api;
  const char *name;
  // 1 is that of temporary tables.
  for (int i = 2; api->db_name && (name = api->db_name(connection->handle, i)) != NULL; i++) {
    const char *path = api->db_filename(connection->handle, name);
    char sql[PATH_MAX + 128];
    if (!path || !*path || strchr(path, '\'') || strchr(name, '"')) continue;
    if (snprintf(sql, sizeof sql, "ATTACH '%s' AS \"%s\"", path, name) >= (int)sizeof sql) continue;
    struct text *text = text_of_sql(sql);
    if (text) announce_text(connection->id, text);
    release_text(text);
  }
}

void announce_connection(struct connection *connection, uint64_t opener_id) {
  unsigned current = __atomic_load_n(&generation, __ATOMIC_RELAXED);
  if (__atomic_exchange_n(&connection->announced_generation, current, __ATOMIC_RELAXED) == current)
    return;
  int error = errno;
  emit_connection(connection, opener_id);
  announce_attached(connection);
  announce_test(connection);
  errno = error;
}

// MARK: - Files

// Whether its files are locked as SQLite does it, so that a close in this process cancels the locks.
static bool has_posix_locks(const struct connection *connection, const char *path) {
  const struct sqlite_api *api = &connection->copy->api;
  char *vfs = NULL;
  api->file_control(connection->handle, "main", SQLITE_FCNTL_VFSNAME, &vfs);
  bool is_other = vfs && (strstr(vfs, "unix-none") || strstr(vfs, "unix-dotfile") || strstr(vfs, "memdb"));
  if (vfs) api->free(vfs);
  if (is_other || !api->uri_boolean || connection->copy->version < URI_OF_NAME_SINCE) return !is_other;
  return !api->uri_boolean(path, "immutable", 0) && !api->uri_boolean(path, "nolock", 0);
}

static void watch(struct connection *connection, const char *name) {
  const char *path = connection->copy->api.db_filename(connection->handle, name);
  if (connection->database_count == MAX_WATCHED || !path || !*path || !has_posix_locks(connection, path)) return;
  struct open_database *database = add_open_database(path, connection->id);
  if (database) connection->databases[connection->database_count++] = database;
}

void unwatch_databases(struct connection *connection) {
  // Of a parent process they are not in the table.
  for (int i = 0; connection->forks == forks && i < connection->database_count; i++)
    remove_open_database(connection->databases[i]);
  connection->database_count = 0;
}

void watch_databases(struct connection *connection) {
  const struct sqlite_api *api = &connection->copy->api;
  if (connection->forks != forks) return;
  unwatch_databases(connection);
  watch(connection, "main");
  // 1 is that of temporary tables.
  for (int i = 2; api->db_name && api->db_name(connection->handle, i); i++)
    watch(connection, api->db_name(connection->handle, i));
}

bool is_newly_inherited(struct connection *connection) {
  bool is_inherited = connection->forks != forks;
  connection->database_count = 0;
  connection->forks = forks;
  return is_inherited;
}

// A callback that the program sets on a copy without hooked calls replaces ours: such a connection ran no observed
// statement, and was not observed to close.
static void report_silent_connections(void) {
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
static void after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  forks++;
}

LIFECYCLE(.after_fork = after_fork, .end = report_silent_connections)
