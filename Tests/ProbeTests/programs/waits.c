// SPDX-License-Identifier: Apache-2.0

// Two connections to one file: one waits for the other's lock, by a timeout, by a handler of its own,
// and without either; a checkpoint; a transaction that is rolled back.

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "library.h"

static sqlite3 *writer;

static void *commit_later(void *context) {
  usleep(60000);
  execute(writer, "COMMIT");
  return context;
}

static int handler(void *context, int attempts) {
  (void)context;
  usleep(5000);
  return attempts < 100;
}

static void wait_for_writer(sqlite3 *waiter) {
  pthread_t thread;
  execute(writer, "BEGIN IMMEDIATE");
  pthread_create(&thread, NULL, commit_later, NULL);
  execute(waiter, "INSERT INTO t VALUES(1)");
  pthread_join(thread, NULL);
}

int main(int count, char **arguments) {
  sqlite3 *waiter;
  if (count < 2) return 64;
  check(sqlite3_open(arguments[1], &writer), writer);
  check(sqlite3_open(arguments[1], &waiter), waiter);
  query(writer, "PRAGMA journal_mode = WAL", 0);
  execute(writer, "CREATE TABLE t(a)");
  sqlite3_busy_timeout(waiter, 2000);
  wait_for_writer(waiter);
  sqlite3_stmt *pragma;
  check(sqlite3_prepare_v2(waiter, "PRAGMA busy_timeout", -1, &pragma, NULL), waiter);
  if (sqlite3_step(pragma) != SQLITE_ROW || sqlite3_column_int(pragma, 0) != 2000) return 1;
  sqlite3_finalize(pragma);
  statements++;
  rows++;
  sqlite3_busy_handler(waiter, handler, NULL);
  wait_for_writer(waiter);
  sqlite3_busy_timeout(waiter, 0);
  execute(writer, "BEGIN IMMEDIATE");
  if (sqlite3_exec(waiter, "INSERT INTO t VALUES(2)", NULL, NULL, NULL) != SQLITE_BUSY) return 1;
  statements++;
  execute(writer, "ROLLBACK");
  int log, checkpointed;
  check(sqlite3_wal_checkpoint_v2(writer, NULL, SQLITE_CHECKPOINT_FULL, &log, &checkpointed), writer);
  printf("checkpoint %d %d\n", log, checkpointed);
  check(sqlite3_close(waiter), waiter);
  check(sqlite3_close(writer), writer);
  print_counts();
  return 0;
}
