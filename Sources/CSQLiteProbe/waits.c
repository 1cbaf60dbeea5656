// SPDX-License-Identifier: Apache-2.0

// Hooks for the functions of libc by which a copy of SQLite waits for a lock.

#include "waits.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "recording.h"

static bool is_waiting(void) { return this_thread.inside != NULL && is_recording(); }

static void waited(int64_t start) {
  int error = errno;
  this_thread.busy_attempts++;
  this_thread.busy_ns += clock_now() - start;
  errno = error;
}

static int hook_usleep(useconds_t time) {
  if (!is_waiting()) return usleep(time);
  int64_t start = clock_now();
  int result = usleep(time);
  waited(start);
  return result;
}

static int hook_nanosleep(const struct timespec *time, struct timespec *rest) {
  if (!is_waiting()) return nanosleep(time, rest);
  int64_t start = clock_now();
  int result = nanosleep(time, rest);
  waited(start);
  return result;
}

static unsigned hook_sleep(unsigned seconds) {
  if (!is_waiting()) return sleep(seconds);
  int64_t start = clock_now();
  unsigned result = sleep(seconds);
  waited(start);
  return result;
}

void *waiting_hook(const char *name) {
  if (strcmp(name, "usleep") == 0) return (void *)hook_usleep;
  if (strcmp(name, "nanosleep") == 0) return (void *)hook_nanosleep;
  return strcmp(name, "sleep") == 0 ? (void *)hook_sleep : NULL;
}
