// SPDX-License-Identifier: Apache-2.0

// A connection that sqlite3_close_v2() leaves open, since statements of it are not finalized: they run on, with
// the program's own callbacks.

#include "library.h"

static int busy(void *context, int attempts) {
  printf("busy %s %d\n", (char *)context, attempts);
  return attempts < 2;
}

static int trace(unsigned event, void *context, void *object, void *text) {
  (void)object;
  printf("%s %u %s\n", (char *)context, event, event == SQLITE_TRACE_STMT ? (char *)text : "");
  return 0;
}

static void step(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  statements++;
  if (code == SQLITE_ROW) rows++;
  printf("step %d\n", code);
}

int main(int count, char **arguments) {
  sqlite3 *writer, *handle;
  sqlite3_stmt *insert, *select;
  if (count < 2) return 64;
  check(sqlite3_open(arguments[1], &writer), NULL);
  execute(writer, "CREATE TABLE t(a)");
  check(sqlite3_open(arguments[1], &handle), NULL);
  sqlite3_busy_handler(handle, busy, "own");
  sqlite3_trace_v2(handle, SQLITE_TRACE_STMT | SQLITE_TRACE_CLOSE, trace, "own");
  check(sqlite3_prepare_v2(handle, "INSERT INTO t VALUES (1)", -1, &insert, NULL), handle);
  check(sqlite3_prepare_v2(handle, "SELECT count(*) FROM t", -1, &select, NULL), handle);
  execute(writer, "BEGIN IMMEDIATE");
  printf("close %d\n", sqlite3_close_v2(handle));
  step(insert);
  execute(writer, "COMMIT");
  sqlite3_reset(insert);
  step(insert);
  step(select);
  printf("finalize %d\n", sqlite3_finalize(insert));
  printf("finalize %d\n", sqlite3_finalize(select));
  query(writer, "SELECT a FROM t", 0);
  check(sqlite3_close_v2(writer), writer);
  print_counts();
  return 0;
}
