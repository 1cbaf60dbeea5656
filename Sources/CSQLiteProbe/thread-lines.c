// SPDX-License-Identifier: Apache-2.0

// The lines at which the threads of a running process are, for a recorder that loads the library into it. The thread that
// the recorder borrows may be anywhere in the program: a thread of the library's own does the work.

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "caller-python-threads.h"
#include "macros.h"
#include "sqliteprobe.h"

// The last line shows that none is missing.
static void *write_lines(void *path) {
  int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  free(path);
  if (file < 0) return NULL;
  bool is_known = write_python_threads(file);
  dprintf(file, "%s\n", is_known ? "end" : "unknown");
  close(file);
  return NULL;
}

EXPORTED int sqliteprobe_threads(const char *path) {
  sigset_t all, old;
  pthread_t thread;
  pthread_attr_t attributes;
  char *copy = strdup(path);
  if (!copy || pthread_attr_init(&attributes) != 0) return 1;
  sigfillset(&all);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The program's signals are for its own threads.
  pthread_sigmask(SIG_SETMASK, &all, &old);
  bool has_begun = pthread_create(&thread, &attributes, write_lines, copy) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  if (!has_begun) free(copy);
  return !has_begun;
}
