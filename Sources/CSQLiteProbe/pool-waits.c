// SPDX-License-Identifier: Apache-2.0

// Waits for a connection of SQLAlchemy's pool: its threads wait for a lock with a time limit, which is a semaphore, until
// another thread returns a connection. Where a wait was long, the frames of its thread show what it was for.

#define _GNU_SOURCE
#include "pool-waits.h"

#include <errno.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>

#include "callers.h"
#include "caller-python.h"
#include "guard.h"
#include "loading.h"
#include "portable.h"
#include "process.h"
#include "recording.h"

// In ns. Shorter waits are many, and end as other threads return connections.
static const int64_t LONG_WAIT = 100000000;

static void report(int64_t duration, bool has_given_up) {
  if (!python_waits_for_pool()) return;
  EMIT(pool_waited, .caller_id = caller_of_call(false), .pool = "SQLAlchemy", .wait_ns = duration,
       .gave_up = has_given_up);
}

static bool is_observing(void) { return (log_level | *tracepoint_state) != 0 && !is_filtered && !this_thread.is_guarded; }

static void waited(int64_t start, int result) {
  int error = errno;
  int64_t duration = clock_now() - start;
  if (duration >= LONG_WAIT && is_observing() && is_recording())
    GUARDED(report, WORD(duration), WORD(result != 0 && error == ETIMEDOUT));
  errno = error;
}

static int hook_sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *end) {
  if (!is_observing()) return sem_clockwait(semaphore, clock, end);
  int64_t start = clock_now();
  int result = sem_clockwait(semaphore, clock, end);
  waited(start, result);
  return result;
}

static int hook_sem_timedwait(sem_t *semaphore, const struct timespec *end) {
  if (!is_observing()) return sem_timedwait(semaphore, end);
  int64_t start = clock_now();
  int result = sem_timedwait(semaphore, end);
  waited(start, result);
  return result;
}

void *pool_wait_hook(const char *name) {
  // A thread that waits within the probe cannot be borrowed by a recorder.
  if (is_for_recorder()) return NULL;
  if (strcmp(name, "sem_clockwait") == 0) return (void *)hook_sem_clockwait;
  return strcmp(name, "sem_timedwait") == 0 ? (void *)hook_sem_timedwait : NULL;
}
