// SPDX-License-Identifier: Apache-2.0

// Ways to end, and signals.

#include "host.h"

#include <sys/time.h>

static sqlite3 *left;
static void use_left(void) { printf("at exit %d\n", number(left, "SELECT 5")); }
__attribute__((destructor)) static void use_later(void) {
  if (left) printf("destructor %d\n", number(left, "SELECT 6"));
}

static void use_at_exit(void) {
  left = connection(":memory:");
  number(left, "SELECT 1");
  atexit(use_left);
  exit(21);
}

static void quick(void) {
  work();
  fflush(stdout);
  printf("lost");
  quick_exit(22);
}

static void immediate(void) {
  work();
  fflush(stdout);
  printf("lost");
  _exit(23);
}

static void aborts(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  work();
  fflush(stdout);
  abort();
}

static void kills_itself(void) {
  work();
  fflush(stdout);
  raise(SIGKILL);
}

static void *exit_on_thread(void *unused) { return work(), exit(24), unused; }

static void exits_on_a_thread(void) {
  pthread_t thread = thread_of(exit_on_thread, NULL, 0);
  pthread_join(thread, NULL);
}

static void *linger_and_work(void *unused) { return usleep(100000), work(), unused; }

static void first_thread_ends(void) {
  work();
  thread_of(linger_and_work, NULL, 0);
  pthread_exit(NULL);
}

static _Atomic int alarms;
static void count_alarm(int unused) { (void)unused, alarms++; }

static void timer(void) {
  struct itimerval interval = {{0, 500}, {0, 500}};
  signal(SIGALRM, count_alarm);
  setitimer(ITIMER_REAL, &interval, NULL);
  for (int i = 0; i < 20; i++) work();
  while (alarms < 10) pause();
  printf("alarms\n");
}

static void *raise_for_all(void *unused) { return kill(getpid(), SIGUSR1), unused; }

// A signal that all threads of the program block is its own to wait for.
static void waits_for_a_signal(void) {
  sigset_t set;
  int got = 0;
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  work();
  for (int i = 0; i < 20; i++) {
    pthread_t thread = thread_of(raise_for_all, NULL, 0);
    DEMAND(sigwait(&set, &got) == 0 && got == SIGUSR1);
    pthread_join(thread, NULL);
  }
  sigpending(&set);
  printf("got %d pending %d\n", got, sigismember(&set, SIGPIPE));
}

static void pipe_without_reader(void) {
  int ends[2];
  signal(SIGPIPE, SIG_IGN);
  DEMAND(pipe(ends) == 0);
  close(ends[0]);
  work();
  printf("%zd\n", write(ends[1], "x", 1));
  printf("%d\n", errno);
  work();
}

static void *canceled(void *unused) {
  sqlite3 *handle = connection(":memory:");
  for (;;) {
    number(handle, "SELECT 1");
    pthread_testcancel();
  }
  return unused;
}

static void cancels_threads(void) {
  void *result = NULL;
  for (int i = 0; i < 10; i++) {
    pthread_t thread = thread_of(canceled, NULL, 0);
    usleep(2000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    DEMAND(result == PTHREAD_CANCELED);
  }
  work();
}

static void executes_itself(void) {
  work();
  fflush(stdout);
  if (!getenv("AGAIN")) {
    setenv("AGAIN", "1", 1);
    execl("/proc/self/exe", "ends", "executes_itself", NULL);
  }
  exit(25);
}

static void children_are_collected(void) {
  signal(SIGCHLD, SIG_IGN);
  work();
  fflush(stdout);
  if (fork() == 0) _exit(0);
  printf("%d\n", wait(NULL));
  printf("%d\n", errno == ECHILD);
}

HOSTS({"use_at_exit", use_at_exit}, {"quick", quick}, {"immediate", immediate}, {"aborts", aborts},
      {"kills_itself", kills_itself}, {"exits_on_a_thread", exits_on_a_thread},
      {"first_thread_ends", first_thread_ends}, {"timer", timer}, {"waits_for_a_signal", waits_for_a_signal},
      {"pipe_without_reader", pipe_without_reader}, {"cancels_threads", cancels_threads},
      {"executes_itself", executes_itself}, {"children_are_collected", children_are_collected})
