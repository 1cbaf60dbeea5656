// SPDX-License-Identifier: Apache-2.0

// Many threads with connections of their own, which another thread closes.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "library.h"

#ifdef SLOW_NAMES
// The names of code take 1 ms each: other threads run statements from a place while one describes it.
int dladdr(const void *address, Dl_info *info) {
  int (*next)(const void *, Dl_info *) = dlsym(RTLD_NEXT, "dladdr");
  usleep(1000);
  return next(address, info);
}
#endif

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
