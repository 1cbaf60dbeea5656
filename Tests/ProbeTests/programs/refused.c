// SPDX-License-Identifier: Apache-2.0

// Inserts three rows twice by INSERT … RETURNING, reads one key, and ends the statement by sqlite3_finalize()
// or sqlite3_reset(): first while another connection reads, which refuses the commit, and then alone.

#include "library.h"

static const char *const sql = "INSERT INTO t VALUES (1), (2), (3) RETURNING a";

static int ended(sqlite3 *handle, int is_reset) {
  sqlite3_stmt *insertion;
  check(sqlite3_prepare_v2(handle, sql, -1, &insertion, NULL), handle);
  if (sqlite3_step(insertion) != SQLITE_ROW) exit(1);
  int code = is_reset ? sqlite3_reset(insertion) : sqlite3_finalize(insertion);
  printf("%d %s, ", code, sqlite3_errmsg(handle));
  if (is_reset) sqlite3_finalize(insertion);
  return code;
}

int main(int count, char **arguments) {
  sqlite3 *handle, *other;
  sqlite3_stmt *reader, *open;
  if (count < 2) return 1;
  check(sqlite3_open(arguments[1], &handle), handle);
  check(sqlite3_open(arguments[1], &other), other);
  check(sqlite3_exec(handle, "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)", NULL, NULL, NULL), handle);
  check(sqlite3_busy_timeout(handle, 30), handle);
  for (int is_reset = 0; is_reset < 2; is_reset++) {
    check(sqlite3_prepare_v2(other, "SELECT a FROM t", -1, &reader, NULL), other);
    check(sqlite3_step(reader), other);
    if (ended(handle, is_reset) != SQLITE_BUSY) return 1;
    sqlite3_finalize(reader);
    check(ended(handle, is_reset), handle);
  }
  // The statement is the last of a connection that is closed, which ends with it.
  check(sqlite3_prepare_v2(other, sql, -1, &open, NULL), other);
  check(sqlite3_step(open), other);
  check(sqlite3_close_v2(other), NULL);
  check(sqlite3_finalize(open), NULL);
  printf("changes %d\n", sqlite3_total_changes(handle));
  return sqlite3_close(handle);
}
