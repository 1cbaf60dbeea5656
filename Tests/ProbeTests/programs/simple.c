// SPDX-License-Identifier: Apache-2.0

// One connection: exec with several statements, prepared statements used again, a cursor that is
// left early, and the program's own callbacks.

#include <string.h>

#include "library.h"

static long traced, profiled, called_rows;

static int trace(unsigned event, void *context, void *statement, void *text) {
  (void)context; (void)statement; (void)text;
  if (event == SQLITE_TRACE_STMT) traced++;
  if (event == SQLITE_TRACE_PROFILE) profiled++;
  return 0;
}

static int row(void *context, int count, char **values, char **names) {
  (void)context; (void)count; (void)values; (void)names;
  called_rows++;
  return 0;
}

int main(void) {
  sqlite3 *handle;
  check(sqlite3_open(":memory:", &handle), NULL);
  sqlite3_trace_v2(handle, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE, trace, NULL);
  execute(handle, "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)");
  check(sqlite3_exec(handle, "BEGIN; INSERT INTO t(b) VALUES('x'); INSERT INTO t(b) VALUES('y');\n"
                             "-- the end\nCOMMIT;", NULL, NULL, NULL), handle);
  statements += 4;
  check(sqlite3_exec(handle, "SELECT * FROM t", row, NULL, NULL), handle);
  statements++;
  rows += called_rows;
  sqlite3_stmt *insert, *select;
  check(sqlite3_prepare_v2(handle, "INSERT INTO t(b) VALUES(?)", -1, &insert, NULL), handle);
  for (int i = 0; i < 100; i++) {
    char text[20];
    snprintf(text, sizeof text, "%d", i);
    sqlite3_bind_text(insert, 1, text, -1, SQLITE_TRANSIENT);
    if (sqlite3_step(insert) != SQLITE_DONE) return 1;
    statements++;
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  // Left after three rows; then to its end, and once more without a reset.
  check(sqlite3_prepare_v2(handle, "SELECT * FROM t WHERE a > ?", -1, &select, NULL), handle);
  sqlite3_bind_int(select, 1, 2);
  for (int i = 0; i < 3; i++, rows++)
    if (sqlite3_step(select) != SQLITE_ROW) return 1;
  sqlite3_reset(select);
  statements++;
  for (int run = 0; run < 2; run++, statements++)
    while (sqlite3_step(select) == SQLITE_ROW) rows++;
  sqlite3_finalize(select);
  char **table;
  int table_rows, columns;
  check(sqlite3_get_table(handle, "SELECT b FROM t LIMIT 7", &table, &table_rows, &columns, NULL), handle);
  statements++;
  rows += table_rows;
  sqlite3_free_table(table);
  // Fails when it runs.
  if (sqlite3_exec(handle, "INSERT INTO t(a) VALUES(1)", NULL, NULL, NULL) != SQLITE_CONSTRAINT) return 1;
  statements++;
  check(sqlite3_close(handle), NULL);
  fprintf(stderr, "traced %ld profiled %ld\n", traced, profiled);
  if (traced != statements || profiled != statements) return 1;
  print_counts();
  return 0;
}
