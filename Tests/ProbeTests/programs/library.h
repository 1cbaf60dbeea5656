// SPDX-License-Identifier: Apache-2.0

// Shared code of the C programs: they count their statements and rows by hand.

#ifndef probe_tests_library_h
#define probe_tests_library_h

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic long statements, rows;

static inline void check(int code, sqlite3 *handle) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  fprintf(stderr, "error %d: %s\n", code, handle ? sqlite3_errmsg(handle) : "");
  exit(1);
}

// Runs one statement by sqlite3_exec().
static inline void execute(sqlite3 *handle, const char *sql) {
  check(sqlite3_exec(handle, sql, NULL, NULL, NULL), handle);
  statements++;
}

// Steps through a statement with at most one parameter.
static inline void query(sqlite3 *handle, const char *sql, int value) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v2(handle, sql, -1, &statement, NULL), handle);
  if (sqlite3_bind_parameter_count(statement) > 0) sqlite3_bind_int(statement, 1, value);
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) rows++;
  check(code, handle);
  statements++;
  sqlite3_finalize(statement);
}

static inline void print_counts(void) { printf("counts %ld %ld\n", statements, rows); }

#endif
