// SPDX-License-Identifier: Apache-2.0

#if defined(__x86_64__)

#define _GNU_SOURCE
#include "thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// In µs: a thread stops at once, except in an uninterruptible call.
enum { STOP_LIMIT = 500000, POLL = 5000 };

int64_t now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void do_nothing(int signal) { (void)signal; }

void interrupt_waits(void) {
  struct sigaction action = {.sa_handler = do_nothing};
  struct itimerval period = {{0, POLL}, {0, POLL}};
  sigset_t alarm;
  sigaction(SIGALRM, &action, NULL);
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarm, NULL);
  setitimer(ITIMER_REAL, &period, NULL);
}

int wait_for_stop(pid_t thread, int64_t deadline) {
  int status;
  for (;;) {
    pid_t found = waitpid(thread, &status, __WALL);
    if (found == thread && WIFSTOPPED(status)) return status;
    if (found == thread || (found < 0 && errno != EINTR)) return -2;
    if (found < 0 && now_us() > deadline) return -1;
  }
}

bool is_at_system_call(int status) { return WSTOPSIG(status) == (SIGTRAP | 0x80); }

// A field of the thread's status, such as `SigPnd:`, in hexadecimal digits.
static uint64_t signals_of(const char *status, const char *name) {
  const char *line = strstr(status, name);
  return line ? strtoull(line + strlen(name), NULL, 16) : 0;
}

static bool read_of_thread(pid_t process, pid_t thread, const char *name, char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/%s", process, thread, name);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  size_t count = fread(text, 1, size - 1, file);
  fclose(file);
  text[count] = 0;
  return true;
}

static bool has_signal(pid_t process, pid_t thread) {
  char status[8192];
  if (!read_of_thread(process, thread, "status", status, sizeof status)) return true;
  // Signals that a process ignores by default are kept for a thread that is traced.
  static const uint64_t harmless =
      (uint64_t)1 << (SIGCHLD - 1) | (uint64_t)1 << (SIGURG - 1) | (uint64_t)1 << (SIGWINCH - 1) | (uint64_t)1 << (SIGCONT - 1);
  uint64_t pending = signals_of(status, "\nSigPnd:") | signals_of(status, "\nShdPnd:");
  uint64_t ignored = signals_of(status, "\nSigIgn:") | (harmless & ~signals_of(status, "\nSigCgt:"));
  return (pending & ~signals_of(status, "\nSigBlk:") & ~ignored) != 0;
}

bool has_children(pid_t process, pid_t thread) {
  char children[64];
  return read_of_thread(process, thread, "children", children, sizeof children) && children[0] != 0;
}

// Such as `R`; 'X' if the thread is gone.
static char state_of(pid_t process, pid_t thread) {
  char stat[512];
  const char *end = read_of_thread(process, thread, "stat", stat, sizeof stat) ? strrchr(stat, ')') : NULL;
  return end && end[1] == ' ' ? end[2] : 'X';
}

// Some calls, such as epoll_wait(), return EINTR where a thread was only stopped: it calls again.
void call_again(pid_t process, struct stopped_thread *stopped) {
  struct user_regs_struct *registers = &stopped->registers;
  stopped->is_in_call = (long)registers->orig_rax >= 0;
  if (!stopped->is_in_call || (long)registers->rax != -EINTR || has_signal(process, stopped->thread)) return;
  errno = 0;
  long code = ptrace(PTRACE_PEEKTEXT, stopped->thread, registers->rip - 2, NULL);
  // The instruction `syscall`.
  if (errno != 0 || (code & 0xffff) != 0x050f) return;
  registers->rip -= 2;
  registers->rax = registers->orig_rax;
  registers->orig_rax = (unsigned long long)-1;
  ptrace(PTRACE_SETREGS, stopped->thread, NULL, registers);
}

enum thread_stop stop_thread(pid_t process, pid_t thread, struct stopped_thread *stopped) {
  *stopped = (struct stopped_thread){.thread = thread};
  if (state_of(process, thread) == 'D') return THREAD_RUNS;
  int error = ptrace(PTRACE_SEIZE, thread, NULL, (void *)PTRACE_O_TRACESYSGOOD) == 0 ? 0 : errno;
  // One that did not stop in time before is traced already.
  if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0) {
    // One that ends may not be traced either.
    char state = state_of(process, thread);
    return error == EPERM && state != 'Z' && state != 'X' ? THREAD_NOT_PERMITTED : THREAD_GONE;
  }
  int status = wait_for_stop(thread, now_us() + STOP_LIMIT);
  if (status == -2) return THREAD_GONE;
  // It stays traced until this process ends.
  if (status == -1) return THREAD_RUNS;
  bool is_ours = status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
  if (!is_ours && status >> 16 == 0) stopped->signal = WSTOPSIG(status);
  if (!is_ours || ptrace(PTRACE_GETREGS, thread, NULL, &stopped->registers) != 0) {
    resume_thread(stopped);
    return THREAD_RUNS;
  }
  call_again(process, stopped);
  return THREAD_STOPPED;
}

void resume_thread(const struct stopped_thread *stopped) {
  ptrace(PTRACE_DETACH, stopped->thread, NULL, (void *)(uintptr_t)stopped->signal);
}

#endif
