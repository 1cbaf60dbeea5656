// SPDX-License-Identifier: Apache-2.0

// Runs statements on two threads, and beside them others that allocate, load a library, fork, start threads and get signals, until its
// input ends. Prints `ok` if SQLite counts every inserted row, and nothing failed.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_bool is_over;
static atomic_int failures, signals;

static void *insert(void *by_exec) {
  sqlite3 *db;
  sqlite3_stmt *insertion = NULL, *count = NULL;
  long inserted = 0;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a)", NULL, NULL, NULL);
  sqlite3_prepare_v2(db, "INSERT INTO t VALUES (?)", -1, &insertion, NULL);
  while (!is_over) {
    if (by_exec) {
      failures += sqlite3_exec(db, "INSERT INTO t VALUES (1)", NULL, NULL, NULL) != SQLITE_OK;
    } else {
      sqlite3_bind_int64(insertion, 1, inserted);
      failures += sqlite3_step(insertion) != SQLITE_DONE;
      failures += sqlite3_reset(insertion) != SQLITE_OK;
    }
    inserted++;
  }
  sqlite3_prepare_v2(db, "SELECT count(*) FROM t", -1, &count, NULL);
  failures += sqlite3_step(count) != SQLITE_ROW || sqlite3_column_int64(count, 0) != inserted || inserted == 0;
  sqlite3_finalize(count);
  sqlite3_finalize(insertion);
  failures += sqlite3_close(db) != SQLITE_OK;
  return NULL;
}

static void *allocate(void *unused) {
  for (size_t size = 1; !is_over; size = size * 7 % 100003 + 1) {
    char *memory = malloc(size);
    memset(memory, 1, size);
    free(memory);
  }
  return unused;
}

static void *load(void *unused) {
  while (!is_over) {
    void *library = dlopen("libutil.so.1", RTLD_NOW);
    if (library) dlclose(library);
  }
  return unused;
}

static void *make_children(void *unused) {
  while (!is_over) {
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
      free(malloc(100));
      _exit(0);
    }
    failures += waitpid(child, &status, 0) != child || status != 0;
  }
  return unused;
}

static void *do_little(void *unused) { return unused; }

static void *make_threads(void *unused) {
  while (!is_over) {
    pthread_t thread;
    failures += pthread_create(&thread, NULL, do_little, NULL) != 0 || pthread_join(thread, NULL) != 0;
  }
  return unused;
}

// Returns EINTR to a thread that was only stopped, but for who calls it again.
static void *wait_for_events(void *unused) {
  int queue = epoll_create1(0);
  struct epoll_event event;
  while (!is_over) failures += epoll_wait(queue, &event, 1, 50) != 0;
  close(queue);
  return unused;
}

static void count_signal(int signal) {
  (void)signal;
  signals++;
}

static void block_signals(void) {
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  sigaddset(&alarm, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &alarm, NULL);
}

int main(void) {
  void *(*const functions[])(void *) = {insert, insert, allocate, load, make_children, make_threads, wait_for_events};
  enum { COUNT = sizeof functions / sizeof *functions };
  pthread_t threads[COUNT];
  char byte;
  block_signals();
  for (int i = 0; i < COUNT; i++) pthread_create(&threads[i], NULL, functions[i], i == 1 ? threads : NULL);
  struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
  struct itimerval often = {{0, 3000}, {0, 3000}};
  setitimer(ITIMER_REAL, &often, NULL);
  puts("ready");
  fflush(stdout);
  while (read(0, &byte, 1) > 0) {}
  is_over = true;
  for (int i = 0; i < COUNT; i++) pthread_join(threads[i], NULL);
  puts(failures == 0 && signals > 0 ? "ok" : "failed");
  return failures != 0;
}
