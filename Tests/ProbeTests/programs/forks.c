// SPDX-License-Identifier: Apache-2.0

// A process that forks while it has a connection; the children open their own.

#include <sys/wait.h>
#include <unistd.h>

#include "library.h"

static void work(int rounds) {
  sqlite3 *handle;
  check(sqlite3_open(":memory:", &handle), NULL);
  execute(handle, "CREATE TABLE t(a)");
  for (int i = 0; i < rounds; i++) query(handle, "INSERT INTO t VALUES(?)", i);
  query(handle, "SELECT * FROM t", 0);
  check(sqlite3_close(handle), handle);
}

int main(void) {
  sqlite3 *handle;
  check(sqlite3_open(":memory:", &handle), NULL);
  query(handle, "SELECT 1", 0);
  for (int child = 0; child < 3; child++) {
    pid_t id = fork();
    if (id == 0) {
      work(5);
      _exit(0);
    }
    int status;
    if (waitpid(id, &status, 0) != id || status != 0) return 1;
    // Each child: CREATE, five INSERTs, one SELECT of five rows.
    statements += 7;
    rows += 5;
  }
  query(handle, "SELECT 1", 0);
  check(sqlite3_close(handle), handle);
  print_counts();
  return 0;
}
