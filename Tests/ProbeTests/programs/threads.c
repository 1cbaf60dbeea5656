// SPDX-License-Identifier: Apache-2.0

// Many threads with connections of their own, which another thread closes.

#include <pthread.h>

#include "library.h"

enum { MAX_THREADS = 500 };

static void *work(void *context) {
  sqlite3 *handle;
  (void)context;
  check(sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL), NULL);
  execute(handle, "CREATE TABLE t(a)");
  for (int i = 0; i < 20; i++) query(handle, "INSERT INTO t VALUES(?)", i);
  query(handle, "SELECT * FROM t WHERE a >= ?", 10);
  return handle;
}

int main(int count, char **arguments) {
  int thread_count = count > 1 ? atoi(arguments[1]) : 16;
  static pthread_t threads[MAX_THREADS];
  for (int i = 0; i < thread_count; i++)
    if (pthread_create(&threads[i], NULL, work, NULL) != 0) return 1;
  for (int i = 0; i < thread_count; i++) {
    void *handle;
    pthread_join(threads[i], &handle);
    check(sqlite3_close(handle), handle);
  }
  print_counts();
  return 0;
}
