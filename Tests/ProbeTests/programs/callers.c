// SPDX-License-Identifier: Apache-2.0

// Runs one statement from several lines: callers one|two|alternating|threads. Prints how often each line ran it.

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static sqlite3_stmt *prepare(sqlite3 *handle) {
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v2(handle, "SELECT 1 + ?", -1, &statement, NULL);
  return statement;
}

static __attribute__((noinline)) int often(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);  // often
  sqlite3_reset(statement);
  return code;
}

static __attribute__((noinline)) int seldom(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);  // seldom
  return sqlite3_reset(statement) + code;
}

static void *run_ten(void *context) {
  sqlite3 *handle;
  sqlite3_open(":memory:", &handle);
  sqlite3_stmt *statement = prepare(handle);
  for (int i = 0; i < 10; i++) often(statement);
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  return context;
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "one";
  if (strcmp(what, "threads") == 0) {
    for (int i = 0; i < 40; i++) {
      pthread_t thread;
      pthread_create(&thread, NULL, run_ten, NULL);
      pthread_join(thread, NULL);
    }
    return 0;
  }
  sqlite3 *handle;
  sqlite3_open(":memory:", &handle);
  sqlite3_stmt *statement = prepare(handle);
  int is_alternating = strcmp(what, "alternating") == 0;
  for (int i = 0; i < 40; i++) {
    for (int j = 0; j < 15; j++) often(statement);
    if (is_alternating) seldom(statement);
  }
  for (int i = 0; strcmp(what, "two") == 0 && i < 200; i++) seldom(statement);
  sqlite3_finalize(statement);
  return sqlite3_close(handle);
}
