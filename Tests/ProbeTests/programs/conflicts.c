// SPDX-License-Identifier: Apache-2.0

// Inserts a row, and four times another one of the same key.

#include <sqlite3.h>
#include <stdio.h>

int main(void) {
  sqlite3 *db;
  int failed = 0;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
  sqlite3_exec(db, "CREATE TABLE t (a UNIQUE)", NULL, NULL, NULL);
  for (int i = 0; i < 5; i++)
    failed += sqlite3_exec(db, "INSERT INTO t VALUES (1)", NULL, NULL, NULL) != SQLITE_OK;
  printf("failed %d\n", failed);
  return sqlite3_close(db);
}
