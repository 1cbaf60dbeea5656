// SPDX-License-Identifier: Apache-2.0

// The line of Python that runs a statement, by the interpreter's own public functions.

#define _GNU_SOURCE
#include "caller-python.h"

#include <string.h>

#include "caller-files.h"
#include "caller-python-api.h"
#include "caller-python-dump.h"
#include "caller-python-tasks.h"
#include "macros.h"
#include "process.h"

// Whether this thread runs statements of cells, or that tasks await: their lines need the lock.
static _Thread_local bool needs_lock;

static bool find_line(struct caller_event *caller, char *buffer, size_t size) {
  void *frame = python.frame();
  if (!frame) return false;
  struct ranked_frame best = {-1, NULL, false};
  void *worker = NULL;
  look_at_frames(frame, &best, &worker);
  needs_lock = worker != NULL;
  if (worker && (best.rank < RANK_PACKAGE || best.rank == RANK_HELPER)) look_at_awaiting_tasks(worker, &best);
  release_object(worker);
  bool is_found = describe_best_frame(&best, caller, buffer, size);
  needs_lock |= best.is_cell;
  return is_found;
}

// The state of a thread that runs Python, or NULL.
static void *running_thread(void) {
  if (!find_python() || !python.is_initialized()) return NULL;
  if (python.is_finalizing && python.is_finalizing()) return NULL;
  return python.this_thread_state();
}

// A wait for the interpreter's lock that is longer, in ns, is one for another thread that computes. It lets
// go after 5 ms, and would at each run.
static const int64_t LONG_WAIT = 200000;
enum { RUNS_AFTER_LONG_WAIT = 64 };
static _Thread_local unsigned runs_without_lock;

static int acquire(void) {
  int64_t start = clock_now();
  int state = python.ensure();
  if (UNLIKELY(clock_now() - start > LONG_WAIT)) runs_without_lock = RUNS_AFTER_LONG_WAIT;
  return state;
}

enum lock { LOCK_HELD, LOCK_FREE, LOCK_UNKNOWN };

// After a program has made an interpreter of its own in the process, PyGILState_Check() returns 1 always. This
// thread may then have the lock as that interpreter, and would wait for itself.
static enum lock state_of_lock(void *thread) {
  bool is_held = python.has_lock() != 0;
  if (!python.current_state || is_held == (python.current_state() == thread))
    return is_held ? LOCK_HELD : LOCK_FREE;
  return LOCK_UNKNOWN;
}

bool with_python(void (*body)(void)) {
  void *thread = running_thread();
  enum lock lock = thread ? state_of_lock(thread) : LOCK_UNKNOWN;
  if (lock == LOCK_UNKNOWN) return false;
  int state = lock == LOCK_HELD ? 0 : python.ensure();
  void *type, *value, *traceback;
  python.error_fetch(&type, &value, &traceback);
  body();
  python.error_clear();
  python.error_restore(type, value, traceback);
  if (lock == LOCK_FREE) python.release(state);
  return true;
}

// Acquires the interpreter's lock if that cannot block another thread that waits for SQLite.
bool python_caller(struct caller_event *caller, char *buffer, size_t size, bool may_lock) {
  void *thread = running_thread();
  enum lock lock = thread ? state_of_lock(thread) : LOCK_UNKNOWN;
  if (lock == LOCK_UNKNOWN) return thread && python_caller_without_lock(caller, buffer, size);
  if (lock == LOCK_FREE && !may_lock) return false;
  if (UNLIKELY(lock == LOCK_FREE && runs_without_lock > 0 && !needs_lock)) {
    runs_without_lock--;
    if (python_caller_without_lock(caller, buffer, size)) return true;
  }
  int state = lock == LOCK_HELD ? 0 : acquire();
  void *type, *value, *traceback;
  python.error_fetch(&type, &value, &traceback);
  bool is_found = find_line(caller, buffer, size);
  python.error_clear();
  python.error_restore(type, value, traceback);
  if (lock == LOCK_FREE) python.release(state);
  return is_found;
}

bool python_can_be_dumped(void) { return python.dump && running_thread(); }

bool python_waits_for_pool(void) {
  void *thread = running_thread();
  char text[1024];
  if (!thread || !python.dump || python_dump(python.dump, thread, text, sizeof text) == 0) return false;
  // The wait has frames of its own, within those of the queue.
  const char *queue = strstr(text, "/sqlalchemy/util/queue.py\", line ");
  return queue && strncmp(queue + strcspn(queue, "\n") - 4, " get", 4) == 0;
}

bool python_caller_without_lock(struct caller_event *caller, char *buffer, size_t size) {
  void *thread = running_thread();
  return thread && python.dump && python_caller_from_dump(python.dump, thread, caller, buffer, size);
}
