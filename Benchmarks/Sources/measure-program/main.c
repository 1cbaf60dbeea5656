/* SPDX-License-Identifier: Apache-2.0 */
/* measure-program FILE COMMAND...
   Runs a program without its output and writes "NANOSECONDS KIBIBYTES" of it to a file; the exit
   status is the program's. One that takes over five minutes is ended: 124.

   In C, because the kernel counts the memory of the parent process to the program's peak:
   so the parent must be small, and the benchmark is not. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Waits for the program, and terminates it when its time is over. */
static int ended_in_time(pid_t pid, const sigset_t *child) {
  const struct timespec limit = {.tv_sec = 300};
  int signal;
  do signal = sigtimedwait(child, NULL, &limit);
  while (signal < 0 && errno == EINTR);
  if (signal < 0) kill(pid, SIGTERM);
  return signal >= 0;
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  sigset_t child, before;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &before);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &before);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t pid;
  int status;
  struct rusage usage;
  long long start = now();
  if (posix_spawnp(&pid, arguments[2], &actions, &attributes, arguments + 2, environ) != 0) return 127;
  int in_time = ended_in_time(pid, &child);
  while (wait4(pid, &status, 0, &usage) < 0)
    if (errno != EINTR) return 1;
  long long time = now() - start;
  if (!in_time) return 124;
  FILE *file = fopen(arguments[1], "w");
  if (file == NULL) return 1;
  fprintf(file, "%lld %ld\n", time, usage.ru_maxrss);
  if (fclose(file) != 0) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
