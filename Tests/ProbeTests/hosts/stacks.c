// SPDX-License-Identifier: Apache-2.0

// Small stacks, and stacks that the program made.

#include "host.h"

#include <limits.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

static sqlite3 *shared;
static sqlite3_stmt *insertion;

static void prepare_shared(void) {
  shared = connection(":memory:");
  run(shared, "CREATE TABLE t(a, b)");
  DEMAND(sqlite3_prepare_v2(shared, "INSERT INTO t VALUES (?, ?)", -1, &insertion, NULL) == SQLITE_OK);
}

static void print_shared(void) {
  printf("rows %d\n", number(shared, "SELECT count(*) FROM t"));
  sqlite3_finalize(insertion);
  sqlite3_close(shared);
}

// Needs little of the stack: no statement is prepared.
static void insert(int count) {
  static const char text[2000] = "a text";
  for (int i = 0; i < count; i++) {
    sqlite3_bind_int(insertion, 1, i);
    sqlite3_bind_text(insertion, 2, text, sizeof text, SQLITE_STATIC);
    DEMAND(sqlite3_step(insertion) == SQLITE_DONE);
    sqlite3_reset(insertion);
  }
}

static void *insert_on_thread(void *unused) { return insert(100), unused; }
static void *work_on_thread(void *unused) { return work(), unused; }

static void small_thread(void) {
  prepare_shared();
  for (int i = 0; i < 10; i++) pthread_join(thread_of(insert_on_thread, NULL, PTHREAD_STACK_MIN), NULL);
  print_shared();
}

static void *open_on_thread(void *unused) { return prepare_shared(), insert(10), unused; }

static void small_thread_is_first(void) {
  pthread_join(thread_of(open_on_thread, NULL, 24 << 10), NULL);
  print_shared();
}

static void small_threads_at_once(void) {
  pthread_t threads[16];
  work();
  for (int i = 0; i < 16; i++) threads[i] = thread_of(work_on_thread, NULL, 32 << 10);
  for (int i = 0; i < 16; i++) pthread_join(threads[i], NULL);
}

static ucontext_t outer, inner;

static void coroutine(void) {
  for (int i = 0; i < 10; i++) {
    insert(10);
    swapcontext(&inner, &outer);
  }
}

static void coroutines(void) {
  static char stacks[8][12 << 10] __attribute__((aligned(16)));
  prepare_shared();
  for (int k = 0; k < 8; k++) {
    getcontext(&inner);
    inner.uc_stack.ss_sp = stacks[k];
    inner.uc_stack.ss_size = sizeof stacks[k];
    inner.uc_link = &outer;
    makecontext(&inner, coroutine, 0);
    for (int i = 0; i < 10; i++) swapcontext(&outer, &inner);
  }
  print_shared();
}

static void open_in_coroutine(void) { prepare_shared(), insert(10); }

static void a_coroutine_is_first(void) {
  static char stack[24 << 10] __attribute__((aligned(16)));
  getcontext(&inner);
  inner.uc_stack.ss_sp = stack;
  inner.uc_stack.ss_size = sizeof stack;
  inner.uc_link = &outer;
  makecontext(&inner, open_in_coroutine, 0);
  swapcontext(&outer, &inner);
  print_shared();
}

static void handle_signal(int unused) { (void)unused, insert(10); }

static void signal_stack(void) {
  stack_t stack = {.ss_sp = malloc(16 << 10), .ss_size = 16 << 10};
  struct sigaction action = {.sa_handler = handle_signal, .sa_flags = SA_ONSTACK};
  prepare_shared();
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 5; i++) raise(SIGUSR1);
  print_shared();
}

static void own_stack_of_a_thread(void) {
  size_t size = 20 << 10;
  char *memory = mmap(NULL, size + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(memory, 7, 4096);
  pthread_attr_t attributes;
  pthread_t thread;
  prepare_shared();
  pthread_attr_init(&attributes);
  DEMAND(pthread_attr_setstack(&attributes, memory + 4096, size) == 0);
  DEMAND(pthread_create(&thread, &attributes, insert_on_thread, NULL) == 0);
  pthread_join(thread, NULL);
  for (int i = 0; i < 4096; i++) DEMAND(memory[i] == 7);
  print_shared();
}

static jmp_buf out;
static int leave(void *unused, int count, char **values, char **names) {
  (void)unused, (void)count, (void)values, (void)names;
  return 1;
}

static void callback_that_aborts(void) {
  prepare_shared();
  insert(3);
  if (setjmp(out) == 0) printf("aborted %d\n", sqlite3_exec(shared, "SELECT * FROM t", leave, NULL, NULL));
  print_shared();
}

// A thread with its own key's destructor, which uses SQLite.
static pthread_key_t key;
static void destroy(void *unused) { (void)unused, insert(1); }
static void *thread_with_key(void *unused) { return pthread_setspecific(key, &key), insert(1), unused; }

static void destructor_of_a_thread(void) {
  prepare_shared();
  pthread_key_create(&key, destroy);
  for (int i = 0; i < 5; i++) pthread_join(thread_of(thread_with_key, NULL, 24 << 10), NULL);
  print_shared();
}

HOSTS({"small_thread", small_thread}, {"small_thread_is_first", small_thread_is_first},
      {"small_threads_at_once", small_threads_at_once}, {"coroutines", coroutines},
      {"a_coroutine_is_first", a_coroutine_is_first}, {"signal_stack", signal_stack},
      {"own_stack_of_a_thread", own_stack_of_a_thread}, {"callback_that_aborts", callback_that_aborts},
      {"destructor_of_a_thread", destructor_of_a_thread})
