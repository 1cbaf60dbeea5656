// SPDX-License-Identifier: Apache-2.0

// A user-defined function that runs statements by sqlite3_exec(), in statements that are stepped and in statements
// that sqlite3_exec() runs. Triggers and the statements of FTS5 are not counted.

#include "library.h"

static sqlite3 *handle;

static int count_row(void *context, int count, char **values, char **names) {
  (void)context, (void)count, (void)values, (void)names;
  rows++;
  return 0;
}

static void all(const char *sql, int count) {
  check(sqlite3_exec(handle, sql, count_row, NULL, NULL), handle);
  statements += count;
}

static int nested_row(void *context, int count, char **values, char **names) {
  all("-- in a row\nUPDATE t SET b = b + 1 WHERE a = 1", 1);
  return count_row(context, count, values, names);
}

static void call(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count, (void)values;
  all("INSERT INTO t (b) VALUES (1)", 1);
  all("INSERT INTO f VALUES ('word'), ('words'); SELECT * FROM f WHERE f MATCH 'wor*'; SELECT 1", 3);
  char **table;
  int row_count;
  check(sqlite3_get_table(handle, "SELECT a FROM t WHERE a <= 2", &table, &row_count, NULL, NULL), handle);
  sqlite3_free_table(table);
  statements++;
  rows += row_count;
  sqlite3_result_int(context, 1);
}

int main(void) {
  check(sqlite3_open(":memory:", &handle), handle);
  all("CREATE TABLE t (a INTEGER PRIMARY KEY, b); CREATE TABLE log (a); CREATE VIRTUAL TABLE f USING fts5(x)", 3);
  all("CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); INSERT INTO f VALUES ('x'); END", 1);
  all("INSERT INTO t (b) VALUES (1), (2), (3)", 1);
  check(sqlite3_create_function(handle, "call", 0, SQLITE_UTF8, NULL, call, NULL, NULL), handle);
  query(handle, "SELECT call() FROM t WHERE a <= ?", 2);
  all("SELECT call() FROM t WHERE a <= 2; SELECT * FROM f WHERE f MATCH 'x'", 2);
  check(sqlite3_exec(handle, "SELECT a FROM t WHERE a <= 3", nested_row, NULL, NULL), handle);
  statements++;
  printf("changes %d\n", sqlite3_total_changes(handle));
  print_counts();
  return sqlite3_close(handle);
}
