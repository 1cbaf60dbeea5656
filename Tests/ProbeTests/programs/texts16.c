// SPDX-License-Identifier: Apache-2.0

// Reads lists as Qt does: the length of a text in UTF-16 before the text. With each encoding of the database.

#include <sqlite3.h>
#include <stdio.h>

static void print_rows(sqlite3 *db) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(db, "SELECT a, b, typeof(b) FROM t ORDER BY a", -1, &statement, NULL)) return;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      int size = sqlite3_column_bytes16(statement, i);
      const unsigned char *text = sqlite3_column_text16(statement, i);
      printf("%d:", sqlite3_column_type(statement, i));
      for (int at = 0; at < size; at++) printf("%02x", text[at]);
      printf(" %d ", sqlite3_column_bytes(statement, i));
    }
    printf("\n");
  }
  sqlite3_finalize(statement);
}

int main(void) {
  static const char *const encodings[] = {"PRAGMA encoding = 'UTF-8'", "PRAGMA encoding = 'UTF-16le'"};
  for (int i = 0; i < 2; i++) {
    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
    sqlite3_exec(db, encodings[i], NULL, NULL, NULL);
    sqlite3_exec(db, "CREATE TABLE t (a, b)", NULL, NULL, NULL);
    sqlite3_exec(db, "INSERT INTO t VALUES ('a0', x'616263'), ('a1', 7), ('b\xc3\xa4', zeroblob(4)), ('', 2.5), ('c', NULL)", NULL, NULL, NULL);
    print_rows(db);
    sqlite3_close(db);
  }
  return 0;
}
