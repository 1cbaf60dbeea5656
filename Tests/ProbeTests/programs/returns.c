// SPDX-License-Identifier: Apache-2.0

// Inserts three rows, and reads each key in another way: the statement is reset, stepped to its end, or
// finalized at once.

#include <sqlite3.h>
#include <stdio.h>

int main(void) {
  sqlite3 *db;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
  sqlite3_exec(db, "CREATE TABLE t (a INTEGER PRIMARY KEY, b)", NULL, NULL, NULL);
  for (int i = 0; i < 3; i++) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, "INSERT INTO t (b) VALUES (1) RETURNING a", -1, &statement, NULL)) return 1;
    if (sqlite3_step(statement) != SQLITE_ROW) return 1;
    if (i == 0) sqlite3_reset(statement);
    if (i == 1 && sqlite3_step(statement) != SQLITE_DONE) return 1;
    sqlite3_finalize(statement);
  }
  printf("changes %d\n", sqlite3_total_changes(db));
  return sqlite3_close(db);
}
