// SPDX-License-Identifier: Apache-2.0

// Runs a statement from one line, and ends it at another one; every tenth stays open for longer.

#include <sqlite3.h>
#include <unistd.h>

int main(void) {
  sqlite3 *db;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
  for (int i = 0; i < 100; i++) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, "SELECT 1 UNION ALL SELECT 2", -1, &statement, NULL)) return 1;
    if (sqlite3_step(statement) != SQLITE_ROW) return 1;
    if (i % 10 == 9) usleep(6000);
    sqlite3_finalize(statement);
  }
  return sqlite3_close(db);
}
