// SPDX-License-Identifier: Apache-2.0

// Two connections write in turn, each in a transaction.

#include "library.h"

static void run(sqlite3 *handle, const char *sql) { query(handle, sql, 0); }

int main(int count, char **arguments) {
  sqlite3 *one, *other;
  if (count < 2) return 1;
  check(sqlite3_open(arguments[1], &one), one);
  check(sqlite3_open(arguments[1], &other), other);
  run(one, "CREATE TABLE t (a)");
  run(one, "BEGIN IMMEDIATE");
  run(one, "INSERT INTO t VALUES (1)");
  run(one, "COMMIT");
  run(other, "BEGIN IMMEDIATE");
  run(other, "COMMIT");
  run(one, "BEGIN IMMEDIATE");
  run(one, "ROLLBACK");
  run(other, "INSERT INTO t VALUES (2)");
  run(one, "SELECT a FROM t");
  sqlite3_close(one);
  return sqlite3_close(other);
}
