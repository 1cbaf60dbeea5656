// SPDX-License-Identifier: Apache-2.0

// Shared code of the hostile programs. `PROGRAM CASE` runs one case; `PROGRAM` prints their names. They print
// nothing that depends on the machine or on time.

#ifndef probe_tests_host_h
#define probe_tests_host_h

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct host {
  const char *name;
  void (*run)(void);
};

#define DEMAND(x) \
  do { if (!(x)) { printf("%s:%d: %s: errno %d\n", __func__, __LINE__, #x, errno); fflush(stdout); _exit(1); } } while (0)

static inline sqlite3 *connection(const char *path) {
  sqlite3 *handle = NULL;
  DEMAND(sqlite3_open(path, &handle) == SQLITE_OK);
  return handle;
}

static inline void run(sqlite3 *handle, const char *sql) {
  int code = sqlite3_exec(handle, sql, NULL, NULL, NULL);
  if (code != SQLITE_OK) printf("%s: %d %s\n", sql, code, sqlite3_errmsg(handle));
}

static inline int number(sqlite3 *handle, const char *sql) {
  sqlite3_stmt *statement;
  DEMAND(sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) == SQLITE_OK);
  int result = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
  sqlite3_finalize(statement);
  return result;
}

// Writes and reads a hundred rows.
static inline void work(void) {
  sqlite3 *handle = connection(":memory:");
  run(handle, "CREATE TABLE t(a, b)");
  sqlite3_stmt *statement;
  DEMAND(sqlite3_prepare_v2(handle, "INSERT INTO t VALUES (?, ?)", -1, &statement, NULL) == SQLITE_OK);
  for (int i = 0; i < 100; i++) {
    sqlite3_bind_int(statement, 1, i);
    sqlite3_bind_text(statement, 2, "some text", -1, SQLITE_STATIC);
    DEMAND(sqlite3_step(statement) == SQLITE_DONE);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  printf("rows %d\n", number(handle, "SELECT count(*) FROM t"));
  sqlite3_close(handle);
}

static inline int wait_for(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static inline pthread_t thread_of(void *(*body)(void *), void *context, size_t stack) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack) DEMAND(pthread_attr_setstacksize(&attributes, stack) == 0);
  DEMAND(pthread_create(&thread, &attributes, body, context) == 0);
  pthread_attr_destroy(&attributes);
  return thread;
}

static inline int host_main(int count, char **arguments, const struct host *hosts, size_t host_count) {
  for (size_t i = 0; i < host_count; i++) {
    if (count < 2) puts(hosts[i].name);
    else if (strcmp(arguments[1], hosts[i].name) == 0) return hosts[i].run(), 0;
  }
  return count < 2 ? 0 : 64;
}

#define HOSTS(...)                                                         \
  int main(int count, char **arguments) {                                  \
    static const struct host hosts[] = {__VA_ARGS__};                      \
    return host_main(count, arguments, hosts, sizeof hosts / sizeof *hosts); \
  }

#endif
