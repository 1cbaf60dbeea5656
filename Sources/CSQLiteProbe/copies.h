// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>

#include "sqlite-api.h"

#pragma GCC visibility push(hidden)

enum way { WAY_GOT, WAY_EXTENSION, WAY_SYMBOLS, WAY_HANDLE };

// One copy of SQLite in this process.
struct copy {
  struct sqlite_api api;
  // The copy's own functions, which the hooks of this copy call.
  struct sqlite_hooked real;
  // The object file that holds it, and where that is mapped: an object that is unloaded and another
  // one mapped at its address is another copy.
  char path[4096];
  const void *base;
  const void *start, *end;
  int version;
  enum way way;
  bool is_used;
};

// 8 is arbitrary: two copies in one process are common, more than three were not seen.
enum { MAX_COPIES = 8 };
extern struct copy copies[MAX_COPIES];

// The copy with the functions that `resolve` returns, or with a table of sqlite3_api_routines.
struct copy *copy_of_functions(const char *path, const void *base, void *(*resolve)(void *, const char *),
                               void *context, enum way way, const char **reason);
struct copy *copy_of_table(const void *table, const char *path, const void *base, enum way way);

// The names of the hooked functions: "sqlite3_open", …
extern const char *const hooked_names[HOOKED_COUNT];

#pragma GCC visibility pop
