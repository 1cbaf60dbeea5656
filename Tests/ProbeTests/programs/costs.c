// SPDX-License-Identifier: Apache-2.0

// The cost of a statement: costs point|fetch|insert COUNT prints nanoseconds for each of them.

#include <string.h>
#include <time.h>

#include "library.h"

static double now(void) {
  struct timespec time;
  // Of this thread alone: the machine may be busy with something else.
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

__attribute__((noinline)) static void fill(sqlite3 *handle, int count) {
  sqlite3_stmt *insert;
  execute(handle, "BEGIN");
  check(sqlite3_prepare_v2(handle, "INSERT INTO t VALUES(?, ?, ?)", -1, &insert, NULL), handle);
  for (int i = 0; i < count; i++) {
    sqlite3_bind_int(insert, 1, i);
    sqlite3_bind_text(insert, 2, "Am Treptower Park", -1, SQLITE_STATIC);
    sqlite3_bind_double(insert, 3, i * 0.5);
    sqlite3_step(insert);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  execute(handle, "COMMIT");
}

__attribute__((noinline)) static void point(sqlite3 *handle, int count) {
  sqlite3_stmt *select;
  check(sqlite3_prepare_v2(handle, "SELECT a, b, c FROM t WHERE a = ?", -1, &select, NULL), handle);
  for (int i = 0; i < count; i++) {
    sqlite3_bind_int(select, 1, i % 1000);
    while (sqlite3_step(select) == SQLITE_ROW) rows += sqlite3_column_int(select, 0) >= 0;
    sqlite3_reset(select);
  }
  sqlite3_finalize(select);
}

__attribute__((noinline)) static void fetch(sqlite3 *handle) {
  sqlite3_stmt *select;
  check(sqlite3_prepare_v2(handle, "SELECT a, b, c FROM t", -1, &select, NULL), handle);
  while (sqlite3_step(select) == SQLITE_ROW) {
    rows += sqlite3_column_int(select, 0) >= 0;
    rows += sqlite3_column_text(select, 1) != NULL;
    rows += sqlite3_column_double(select, 2) >= 0;
  }
  sqlite3_finalize(select);
}

int main(int count, char **arguments) {
  sqlite3 *handle;
  if (count < 3) return 64;
  int n = atoi(arguments[2]);
  check(sqlite3_open(":memory:", &handle), NULL);
  execute(handle, "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL)");
  if (strcmp(arguments[1], "insert") != 0) fill(handle, strcmp(arguments[1], "fetch") == 0 ? n : 1000);
  // The buffers of a recording share the processor's cache with the rows that were just filled in.
  execute(handle, "SELECT sum(length(b)) FROM t");
  double start = now();
  if (strcmp(arguments[1], "point") == 0) point(handle, n);
  if (strcmp(arguments[1], "fetch") == 0) fetch(handle);
  if (strcmp(arguments[1], "insert") == 0) fill(handle, n);
  printf("%.3f\n", (now() - start) / n);
  sqlite3_close(handle);
  return 0;
}
