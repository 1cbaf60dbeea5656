// SPDX-License-Identifier: Apache-2.0

// Recorders that come and go while threads run statements: recorders LIBRARY FOLDER ROUNDS KILLED. If KILLED is 1, each
// of them ends without a word, and the next one begins over it; otherwise it detaches. A thread loads and unloads a
// library meanwhile. Between two recordings connections are closed and opened, at the same addresses, with other trace
// callbacks. The last recording is left, and is detached. Prints `ok` if SQLite and the callbacks did as without them.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITERS = 2 };
static atomic_bool is_over;
static atomic_int failures;
static atomic_long runs;

static void *insert(void *by_exec) {
  sqlite3 *db;
  sqlite3_stmt *insertion = NULL;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a)", NULL, NULL, NULL);
  sqlite3_prepare_v2(db, "INSERT INTO t VALUES (?)", -1, &insertion, NULL);
  while (!is_over) {
    if (by_exec) failures += sqlite3_exec(db, "INSERT INTO t VALUES (1)", NULL, NULL, NULL) != SQLITE_OK;
    else failures += sqlite3_step(insertion) != SQLITE_DONE || sqlite3_reset(insertion) != SQLITE_OK;
    runs++;
  }
  sqlite3_finalize(insertion);
  sqlite3_close(db);
  return NULL;
}

// Each time at another address.
static void *load(void *unused) {
  for (size_t pages = 1; !is_over; pages = pages * 5 % 61 + 1) {
    void *space = mmap(NULL, pages * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *library = dlopen("libutil.so.1", RTLD_NOW);
    if (library) dlclose(library);
    munmap(space, pages * 4096);
  }
  return unused;
}

// MARK: - A connection with a callback of the program

struct traced {
  sqlite3 *db;
  bool is_alive;
  bool has_callback;
  int calls, runs;
};

static int count_call(unsigned event, void *context, void *first, void *second) {
  struct traced *traced = context;
  (void)event, (void)first, (void)second;
  failures += !traced->is_alive;
  traced->calls++;
  return 0;
}

static struct traced *open_traced(bool has_callback) {
  struct traced *traced = calloc(1, sizeof *traced);
  traced->is_alive = true;
  traced->has_callback = has_callback;
  sqlite3_open(":memory:", &traced->db);
  if (has_callback) sqlite3_trace_v2(traced->db, SQLITE_TRACE_STMT, count_call, traced);
  return traced;
}

static void run_traced(struct traced *traced) {
  sqlite3_exec(traced->db, "SELECT 1", NULL, NULL, NULL);
  traced->runs++;
  failures += traced->calls != (traced->has_callback ? traced->runs : 0);
}

static void close_traced(struct traced *traced) {
  failures += sqlite3_close(traced->db) != SQLITE_OK;
  traced->is_alive = false;
}

// MARK: - Recorders

static int (*attach)(const char *), (*detach)(const char *);

// Returns the path of its mark, which a recorder that ends removes.
static char *begin(const char *base, int round) {
  static char folder[4096], mark[4200], settings[9000];
  snprintf(folder, sizeof folder, "%s/%d", base, round);
  snprintf(mark, sizeof mark, "%s/.recording", folder);
  snprintf(settings, sizeof settings, "STORE_SQL_DEBUG=1\nSTORE_SQL_DEBUG_FILE=%s\nSTORE_PROBE_LTTNG=0\nSTORE_TRACE_RECORDING=1",
           folder);
  mkdir(folder, 0700);
  close(open(mark, O_WRONLY | O_CREAT, 0600));
  failures += attach(settings) != 0;
  return mark;
}

// The first statement that is recorded opens it.
static bool has_log(const char *mark) {
  char path[4300];
  snprintf(path, sizeof path, "%.*s%d.log", (int)(strrchr(mark, '/') - mark) + 1, mark, getpid());
  return access(path, F_OK) == 0;
}

int main(int count, char **arguments) {
  pthread_t threads[WRITERS + 1];
  if (count != 5) return 64;
  int rounds = atoi(arguments[3]);
  bool is_killed = arguments[4][0] == '1';
  for (int i = 0; i < WRITERS; i++) pthread_create(&threads[i], NULL, insert, i == 0 ? threads : NULL);
  pthread_create(&threads[WRITERS], NULL, load, NULL);
  void *library = dlopen(arguments[1], RTLD_NOW);
  attach = (int (*)(const char *))dlsym(library, "sqliteprobe_attach");
  detach = (int (*)(const char *))dlsym(library, "sqliteprobe_detach");
  if (!attach || !detach) return 2;
  struct traced *traced = open_traced(true);
  for (int round = 0; round < rounds; round++) {
    char *mark = begin(arguments[2], round);
    run_traced(traced);
    long before = runs;
    while (runs < before + 20 || !has_log(mark)) usleep(100);
    if (!is_killed || round == rounds - 1) failures += detach(NULL) != 0;
    unlink(mark);
    if (is_killed) continue;
    close_traced(traced);
    traced = open_traced(round % 2 == 1);
  }
  is_over = true;
  for (int i = 0; i <= WRITERS; i++) pthread_join(threads[i], NULL);
  puts(failures == 0 ? "ok" : "failed");
  return failures != 0;
}
