// SPDX-License-Identifier: Apache-2.0

// A process whose first thread calls pthread_exit() ends with its last thread. LTTng's threads never end: where
// they alone are left, the process ends as it would have without them.

#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loading.h"
#include "probe.h"

// The time between two looks at the threads, in µs.
enum { PERIOD = 10000 };

// Reads a file of a thread that may have ended; returns the count of bytes.
static size_t read_of_thread(const char *thread, const char *name, char *buffer, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%.20s/%s", thread, name);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  size_t count = fread(buffer, 1, size - 1, file);
  fclose(file);
  buffer[count] = 0;
  return count;
}

// LTTng names its threads `PROGRAM-ust`. One that has ended, such as the first, stays as a zombie.
static bool is_of_program(const char *thread) {
  char text[256];
  size_t count = read_of_thread(thread, "comm", text, sizeof text);
  if (count < 5 || strcmp(text + count - 5, "-ust\n") == 0) return false;
  // `4711 (python3) S 4710 …`
  if (read_of_thread(thread, "stat", text, sizeof text) == 0) return false;
  const char *state = strrchr(text, ')');
  return state && state[1] && state[2] != 'Z' && state[2] != 'X';
}

static bool has_other_threads(void) {
  DIR *folder = opendir("/proc/self/task");
  if (!folder) return true;
  bool has_other = false;
  for (const struct dirent *entry; !has_other && (entry = readdir(folder));)
    has_other = entry->d_name[0] != '.' && atoi(entry->d_name) != thread_id() && is_of_program(entry->d_name);
  closedir(folder);
  return has_other;
}

static void *wait_for_threads(void *unused) {
  while (has_other_threads()) usleep(PERIOD);
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
  if (tracepoints && getpid() == recording_process && thread_id() == getpid()) begin_waiting();
  pthread_exit(result);
}

void *ending_hook(void) { return (void *)hook_pthread_exit; }
