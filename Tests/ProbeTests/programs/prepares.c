// SPDX-License-Identifier: Apache-2.0

// A process that forks while other threads run statements that are new; the children run a new one as well. SQLite
// itself has no lock here: a child would wait for one that another thread held, with or without the probe (a SQLite
// that notifies of unlocked tables takes one at the end of each statement). The probe reads a long text under its
// lock. One thread only converts times, for which the C library has a lock.

#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "library.h"

static _Atomic int is_over;

static void prepare(sqlite3 *handle, long number) {
  char sql[1100];
  sqlite3_stmt *statement;
  snprintf(sql, sizeof sql, "SELECT %ld -- %01000d", number, 0);
  check(sqlite3_prepare_v2(handle, sql, -1, &statement, NULL), handle);
  if (sqlite3_step(statement) != SQLITE_ROW) exit(1);
  sqlite3_finalize(statement);
}

static void *run(void *thread) {
  sqlite3 *handle;
  check(sqlite3_open(":memory:", &handle), NULL);
  long number = (long)(intptr_t)thread * 100000000;
  while (!is_over) prepare(handle, ++number);
  check(sqlite3_close(handle), handle);
  return NULL;
}

static void *tell_time(void *thread) {
  struct tm date;
  for (time_t now = 0; !is_over; now++) gmtime_r(&now, &date);
  return thread;
}

int main(void) {
  sqlite3 *handle;
  pthread_t threads[4];
  sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  check(sqlite3_open(":memory:", &handle), NULL);
  for (intptr_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, run, (void *)(i + 1));
  pthread_create(&threads[3], NULL, tell_time, NULL);
  for (long child = 0; child < 100; child++) {
    pid_t id = fork();
    if (id == 0) {
      alarm(20);
      prepare(handle, child);
      _exit(0);
    }
    int status;
    if (waitpid(id, &status, 0) != id || status != 0) {
      fprintf(stderr, "child %ld ended with status %d\n", child, status);
      return 1;
    }
  }
  is_over = 1;
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  check(sqlite3_close(handle), handle);
  puts("counts - -");
  return 0;
}
