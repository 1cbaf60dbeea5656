// SPDX-License-Identifier: Apache-2.0

// Opens and closes 10,000 connections, up to 100 at a time; some are closed with a statement open.

#include "library.h"

int main(void) {
  sqlite3 *handles[100];
  for (int round = 0; round < 100; round++) {
    for (int i = 0; i < 100; i++) {
      check(sqlite3_open(":memory:", &handles[i]), NULL);
      query(handles[i], "SELECT 1", 0);
    }
    for (int i = 0; i < 100; i++) {
      sqlite3_stmt *open_statement = NULL;
      if (i % 10 == 0) {
        check(sqlite3_prepare_v2(handles[i], "SELECT 1 UNION ALL SELECT 2", -1, &open_statement, NULL), handles[i]);
        if (sqlite3_step(open_statement) != SQLITE_ROW) return 1;
        rows++;
        statements++;
        if (sqlite3_close(handles[i]) != SQLITE_BUSY) return 1;
      }
      check(sqlite3_close_v2(handles[i]), NULL);
      sqlite3_finalize(open_statement);
    }
  }
  print_counts();
  return 0;
}
