// SPDX-License-Identifier: Apache-2.0

// The copies of SQLite in this process, and their functions.

#define _GNU_SOURCE
#include "copies.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "lifecycle.h"
#include "objects.h"
#include "sqlite-code.h"

#define NAME(type, name, parameters, arguments) "sqlite3_" #name,
const char *const hooked_names[HOOKED_COUNT] = {HOOKED_FUNCTIONS(NAME)};

struct copy copies[MAX_COPIES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct copy *find(const char *path, const void *base) {
  for (int i = 0; i < MAX_COPIES; i++)
    if (copies[i].is_used && copies[i].base == base && strcmp(copies[i].path, path) == 0)
      return &copies[i];
  return NULL;
}

// An unused entry, or one with an object that is no longer mapped.
static struct copy *take_entry(void) {
  for (int i = 0; i < MAX_COPIES; i++)
    if (!copies[i].is_used) return &copies[i];
  for (int i = 0; i < MAX_COPIES; i++) {
    Dl_info info;
    if (!dladdr(copies[i].base, &info) || info.dli_fbase != copies[i].base) return &copies[i];
  }
  return NULL;
}

static const char *resolve_api(struct sqlite_api *api, void *(*resolve)(void *, const char *),
                               void *context) {
#define RESOLVE(type, name, parameters, index) \
  api->name = (type(*) parameters)resolve(context, "sqlite3_" #name);
  REQUIRED_FUNCTIONS(RESOLVE) OPTIONAL_FUNCTIONS(RESOLVE)
#undef RESOLVE
#define CHECK(type, name, parameters, index) \
  if (!api->name) return "it has no function sqlite3_" #name;
  REQUIRED_FUNCTIONS(CHECK)
#undef CHECK
  return NULL;
}

// The copy with the functions that `resolve` returns, made on first use; NULL with a reason if it cannot be observed.
struct copy *copy_of_functions(const char *path, const void *base,
                               void *(*resolve)(void *, const char *), void *context, enum way way,
                               const char **reason) {
  pthread_mutex_lock(&lock);
  struct copy *copy = find(path, base);
  static struct copy made;
  made = (struct copy){.base = base, .way = way, .is_used = true};
  if (copy) goto done;
  *reason = resolve_api(&made.api, resolve, context);
  if (*reason) goto done;
  made.version = made.api.libversion_number();
  if (made.version < OLDEST_SQLITE) {
    *reason = "it is older than 3.14";
    goto done;
  }
  copy = take_entry();
  if (!copy) {
    *reason = "this process has too many copies of SQLite";
    goto done;
  }
  for (int i = 0; i < HOOKED_COUNT; i++)
    ((void **)&made.real)[i] = resolve(context, hooked_names[i]);
  snprintf(made.path, sizeof made.path, "%s", path);
  *copy = made;
  // Functions of libc are not hooked in a library if SQLite's functions are found by name.
  if (way != WAY_GOT || base == base_of_program()) add_sqlite_code(base);
done:
  pthread_mutex_unlock(&lock);
  return copy;
}

// The copy that passes these sqlite3_api_routines to an extension.
struct copy *copy_of_table(const void *table, const char *path, const void *base, enum way way) {
  void *const *functions = table;
  pthread_mutex_lock(&lock);
  struct copy *copy = find(path, base);
  if (!copy) {
    static struct copy made;
    made = (struct copy){.base = base, .way = way, .is_used = true};
#define TAKE(type, name, parameters, index) made.api.name = (type(*) parameters)functions[index];
    made.version = ((int (*)(void))functions[67])();
    if (made.version >= OLDEST_SQLITE) {
      REQUIRED_FUNCTIONS(TAKE)
      made.api.uri_boolean = (int (*)(const char *, const char *, int))functions[187];
      if (made.version >= TXN_STATE_SINCE)
        made.api.txn_state = (int (*)(sqlite3 *, const char *))functions[252];
      if (made.version >= CHANGES64_SINCE)
        made.api.changes64 = (int64_t(*)(sqlite3 *))functions[253];
      if (made.version >= ERROR_OFFSET_SINCE)
        made.api.error_offset = (int (*)(sqlite3 *))functions[256];
      if (made.version >= DB_NAME_SINCE)
        made.api.db_name = (const char *(*)(sqlite3 *, int))functions[264];
      snprintf(made.path, sizeof made.path, "%s", path);
      copy = take_entry();
      if (copy) *copy = made;
      add_sqlite_code(base);
    }
#undef TAKE
  }
  pthread_mutex_unlock(&lock);
  return copy;
}

// The thread that forked may not be the one that held the lock.
static void after_fork(void) { pthread_mutex_init(&lock, NULL); }

LIFECYCLE(.after_fork = after_fork)
