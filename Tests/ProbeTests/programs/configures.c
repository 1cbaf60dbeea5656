// SPDX-License-Identifier: Apache-2.0

// Configures SQLite before it uses it, shuts it down, and configures it again: possible only while
// nothing else initializes SQLite.

#include "library.h"

static void use(void) {
  sqlite3 *handle;
  check(sqlite3_open(":memory:", &handle), NULL);
  query(handle, "SELECT 1 UNION ALL SELECT 2", 0);
  check(sqlite3_close(handle), handle);
}

int main(void) {
  check(sqlite3_config(SQLITE_CONFIG_SERIALIZED), NULL);
  check(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0), NULL);
  use();
  check(sqlite3_shutdown(), NULL);
  check(sqlite3_config(SQLITE_CONFIG_MULTITHREAD), NULL);
  use();
  check(sqlite3_shutdown(), NULL);
  print_counts();
  return 0;
}
