// SPDX-License-Identifier: Apache-2.0

// The first thread ends by pthread_exit(): the process ends with its last thread, and with the code 0.

#include <pthread.h>
#include <unistd.h>

#include "library.h"

static pthread_t first;

static void report(void) { print_counts(); }

static void *work(void *context) {
  (void)context;
  sqlite3 *handle;
  // Returns when the first thread has ended.
  if (pthread_join(first, NULL) != 0) exit(1);
  check(sqlite3_open(":memory:", &handle), NULL);
  for (int i = 0; i < 5; i++, usleep(20000)) query(handle, "SELECT ?", i);
  check(sqlite3_close(handle), handle);
  return NULL;
}

int main(void) {
  sqlite3 *handle;
  pthread_t thread;
  check(sqlite3_open(":memory:", &handle), NULL);
  query(handle, "SELECT 1", 0);
  check(sqlite3_close(handle), handle);
  atexit(report);
  first = pthread_self();
  if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
  pthread_exit(NULL);
}
