// SPDX-License-Identifier: Apache-2.0

// The ways in that need no slot: a loadable extension, sqlite3_auto_extension() of a static copy, and
// a handle that the program passes.

#define _GNU_SOURCE
#include "extension.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "objects.h"
#include "opening.h"
#include "recording.h"
#include "sqliteprobe.h"

enum { AUTO_EXTENSION = 192 };

typedef int (*extension_entry)(sqlite3 *, char **, const void *);

static void find_object(const void *address, const char **path, const void **base) {
  Dl_info info = {0};
  dladdr(address, &info);
  *path = object_path(info.dli_fname);
  *base = info.dli_fbase;
}

static int observe(sqlite3 *handle, const void *table, enum way way) {
  const char *path;
  const void *base;
  if (is_idle) return SQLITE_OK;
  find_object(table, &path, &base);
  struct copy *copy = copy_of_table(table, path, base, way);
  if (!copy) {
    emit_copy_not_observed(path, "", "it is older than 3.14");
    return SQLITE_OK;
  }
  struct connection *connection = open_connection(copy, handle, way, false);
  this_thread.opened = connection;
  return SQLITE_OK;
}

// Each connection of a static copy passes here while it opens.
static int opened_statically(sqlite3 *handle, char **error, const void *table) {
  (void)error;
  return observe(handle, table, WAY_SYMBOLS);
}

static int opened_with_extension(sqlite3 *handle, char **error, const void *table) {
  (void)error;
  return observe(handle, table, WAY_EXTENSION);
}

void *static_entry(void) { return (void *)opened_statically; }

// Loaded by the driver: this connection and all later ones of the same copy.
static int load(sqlite3 *handle, const void *table) {
  if (!find_connection(handle)) observe(handle, table, WAY_EXTENSION);
  ((int (*)(extension_entry))((void *const *)table)[AUTO_EXTENSION])(opened_with_extension);
  return SQLITE_OK_LOAD_PERMANENTLY;
}

EXPORTED int sqlite3_extension_init(sqlite3 *handle, char **error, const void *table) {
  (void)error;
  return load(handle, table);
}

// The name that SQLite makes of the file's.
EXPORTED int sqlite3_storescopeprobe_init(sqlite3 *handle, char **error, const void *table) {
  (void)error;
  return load(handle, table);
}

static void *resolve_globally(void *context, const char *name) {
  (void)context;
  return dlsym(RTLD_DEFAULT, name);
}

static void *resolve_by_program(void *context, const char *name) {
  return ((void *(*)(const char *))context)(name);
}

static int observe_handle(sqlite3 *handle, void *(*resolve)(void *, const char *), void *context) {
  if (!handle) return 0;
  struct connection *known = find_connection(handle);
  if (known) return !known->is_excluded;
  void *version = resolve(context, "sqlite3_libversion");
  if (!version) return 0;
  const char *path, *reason = "";
  const void *base;
  find_object(version, &path, &base);
  struct copy *copy = copy_of_functions(path, base, resolve, context, WAY_HANDLE, &reason);
  if (!copy) {
    emit_copy_not_observed(path, "", reason);
    return 0;
  }
  return open_connection(copy, handle, WAY_HANDLE, false) != NULL;
}

EXPORTED int sqliteprobe_observe(void *connection) {
  return observe_handle(connection, resolve_globally, NULL);
}

EXPORTED int sqliteprobe_observe_using(void *connection, void *(*resolve)(const char *)) {
  return observe_handle(connection, resolve_by_program, (void *)resolve);
}

EXPORTED void sqliteprobe_exclude(int is_excluding) {
  // A replay needs the statements of a store, too, which then writes no log.
  if (!is_idle) start_recording_once();
  if (!values_are_whole) this_thread.excluding += is_excluding ? 1 : -1;
}
