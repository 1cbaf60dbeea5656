// SPDX-License-Identifier: Apache-2.0

// Processes that fork.

#include "host.h"

#include <dirent.h>
#include <spawn.h>

extern char **environ;

static _Atomic int wrong;

static void *fork_with_a_mask(void *signal_number) {
  sigset_t own, after;
  sigemptyset(&own);
  sigaddset(&own, (int)(intptr_t)signal_number);
  pthread_sigmask(SIG_SETMASK, &own, NULL);
  for (int i = 0; i < 60; i++) {
    pid_t child = fork();
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    bool is_same = true;
    for (int number = 1; number < 32; number++)
      if (sigismember(&after, number) != sigismember(&own, number)) is_same = false;
    if (child == 0) _exit(is_same ? 0 : 1);
    if (!is_same || wait_for(child) != 0) wrong++;
  }
  return NULL;
}

static void masks(void) {
  static const int signals[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGHUP};
  pthread_t threads[4];
  work();
  for (int i = 0; i < 4; i++) threads[i] = thread_of(fork_with_a_mask, (void *)(intptr_t)signals[i], 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  printf("wrong masks %d\n", wrong);
}

static void executes(void) {
  int failed = 0;
  work();
  for (int i = 0; i < 50; i++) {
    pid_t child = fork();
    if (child == 0) execl("/bin/true", "true", NULL), _exit(1);
    failed += wait_for(child) != 0;
  }
  printf("failed %d\n", failed);
}

static int threads_of_process(void) {
  DIR *folder = opendir("/proc/self/task");
  int count = -2;
  while (readdir(folder)) count++;
  closedir(folder);
  return count;
}

// It may execute another program, and then needs nothing that the parent received.
static void child_has_one_thread(void) {
  work();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(threads_of_process());
  printf("threads of the child %d\n", wait_for(child));
}

static void child_works(void) {
  sqlite3 *handle = connection(":memory:");
  run(handle, "CREATE TABLE t(a)");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) work(), exit(3);
  printf("child %d\n", wait_for(child));
  run(handle, "INSERT INTO t VALUES (1)");
  printf("number %d\n", number(handle, "SELECT a FROM t"));
  sqlite3_close(handle);
}

static void *work_on_thread(void *unused) { return work(), unused; }

static void child_works_on_a_thread(void) {
  work();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    pthread_join(thread_of(work_on_thread, NULL, 0), NULL);
    work();
    exit(4);
  }
  printf("child %d\n", wait_for(child));
}

static void at_exit(void) { printf("at exit of %s\n", getenv("CHILD") ? "the child" : "the parent"); }

static void child_exits(void) {
  atexit(at_exit);
  work();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    setenv("CHILD", "1", 1);
    printf("buffered");
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) threads[i] = thread_of((void *(*)(void *))sleep, (void *)100, 0);
    (void)threads;
    exit(5);
  }
  printf("child %d\n", wait_for(child));
}

static void grandchild_works(void) {
  work();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    pid_t grandchild = fork();
    if (grandchild == 0) work(), exit(6);
    int status = wait_for(grandchild);
    work();
    exit(status);
  }
  printf("grandchild %d\n", wait_for(child));
}

static void cancel_states(void) {
  int state = -1;
  work();
  fflush(stdout);
  pid_t child = fork();
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  if (child == 0) {
    int before = state;
    work();
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
    exit(before == PTHREAD_CANCEL_ENABLE && state == PTHREAD_CANCEL_ENABLE ? 0 : 1);
  }
  printf("parent %d child %d\n", state == PTHREAD_CANCEL_ENABLE, wait_for(child));
}

static void spawns(void) {
  pid_t child;
  char *arguments[] = {"sh", "-c", "echo spawned; exit 7", NULL};
  work();
  fflush(stdout);
  DEMAND(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0);
  printf("spawned %d\n", wait_for(child));
  fflush(stdout);
  printf("system %d\n", WEXITSTATUS(system("echo system; exit 8")));
  char line[64] = "";
  FILE *pipe = popen("echo popen", "r");
  DEMAND(fgets(line, sizeof line, pipe) != NULL);
  printf("%s%d\n", line, pclose(pipe));
  child = vfork();
  if (child == 0) execl("/bin/false", "false", NULL), _exit(9);
  printf("vfork %d\n", wait_for(child));
}

static void becomes_a_daemon(void) {
  int ends[2];
  char text[64] = "";
  DEMAND(pipe(ends) == 0);
  work();
  fflush(stdout);
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    dup2(ends[1], STDOUT_FILENO);
    closefrom(3);
    work();
    exit(0);
  }
  close(ends[1]);
  for (size_t count = 0; count < sizeof text - 1;) {
    ssize_t got = read(ends[0], text + count, sizeof text - 1 - count);
    if (got <= 0) break;
    count += (size_t)got;
  }
  printf("the daemon: %s", text);
}

// Without the handlers of pthread_atfork().
static void forks_by_system_call(void) {
  work();
  fflush(stdout);
  pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) work(), exit(10);
  printf("child %d\n", wait_for(child));
  work();
}

static _Atomic bool ends_statements;
static _Atomic int threads_at_work;

static void *run_statements(void *unused) {
  sqlite3 *handle = connection(":memory:");
  number(handle, "SELECT 1");
  threads_at_work++;
  while (!ends_statements) number(handle, "SELECT 1");
  sqlite3_close(handle);
  return unused;
}

static void forks_beside_statements(void) {
  pthread_t threads[4];
  int failed = 0;
  for (int i = 0; i < 4; i++) threads[i] = thread_of(run_statements, NULL, 0);
  while (threads_at_work < 4) usleep(1000);
  for (int i = 0; i < 100; i++) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    failed += wait_for(child) != 0;
  }
  ends_statements = true;
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  printf("failed %d\n", failed);
}

HOSTS({"masks", masks}, {"executes", executes}, {"child_has_one_thread", child_has_one_thread}, {"child_works", child_works},
      {"child_works_on_a_thread", child_works_on_a_thread}, {"child_exits", child_exits},
      {"grandchild_works", grandchild_works}, {"cancel_states", cancel_states}, {"spawns", spawns},
      {"becomes_a_daemon", becomes_a_daemon}, {"forks_by_system_call", forks_by_system_call},
      {"forks_beside_statements", forks_beside_statements})
