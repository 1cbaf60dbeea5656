// SPDX-License-Identifier: Apache-2.0

// A process ends with its last thread after its first thread calls pthread_exit(). LTTng's threads never end: if only
// they remain, the process ends as it would have without them. _exit() runs no handlers: see recording_exits().

#define _GNU_SOURCE
#include "ending.h"

#include <dirent.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process.h"
#include "recording.h"
#include "state.h"
#include "threads.h"
#include "tracer.h"

static void *wait_for_threads(void *unused) {
  wait_for_program_threads();
  exit(0);
  return unused;
}

static void begin_waiting(void) {
  sigset_t all, old;
  pthread_t thread;
  pthread_attr_t attributes;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The program's signals are for its own threads.
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_create(&thread, &attributes, wait_for_threads, NULL);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
}

static void hook_pthread_exit(void *result) {
  if (lttng_is_here() && thread_id() == recording_process) begin_waiting();
  pthread_exit(result);
}

static void hook_exit(int status) {
  recording_exits(status);
  _exit(status);
}

void *ending_hook(const char *name) { return name[0] == '_' ? (void *)hook_exit : (void *)hook_pthread_exit; }
