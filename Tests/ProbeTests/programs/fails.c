// SPDX-License-Identifier: Apache-2.0

// sqlite3_exec() of two statements, the second of which cannot be prepared.

#include "library.h"

int main(void) {
  sqlite3 *handle;
  check(sqlite3_open(":memory:", &handle), NULL);
  int code = sqlite3_exec(handle, "CREATE TABLE a(b); SELECT 1 FROM b; SELECT 2", NULL, NULL, NULL);
  return code == SQLITE_ERROR ? 0 : 1;
}
