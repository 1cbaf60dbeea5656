// SPDX-License-Identifier: Apache-2.0

// LTTng's tracepoints within this process, which are in a separate library: their loading, forks and end.

#define _GNU_SOURCE
#include "tracer.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "descriptors.h"
#include "log.h"
#include "objects.h"
#include "obstacles.h"
#include "process.h"
#include "settings.h"
#include "state.h"
#include "threads.h"

// MARK: - Descriptors

enum { MAX_HELD = 500 };

// Descriptors that keep LTTng's own above the program's, so that it gets the numbers it gets alone.
struct held {
  int descriptors[MAX_HELD];
  int count;
};

static void hold_low_descriptors(struct held *held) {
  struct rlimit limit;
  held->count = 0;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  int end = limit.rlim_cur / 2 < MAX_HELD ? (int)(limit.rlim_cur / 2) : MAX_HELD;
  int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
  while (next >= 0 && next < end) {
    held->descriptors[held->count++] = next;
    next = fcntl(next, F_DUPFD_CLOEXEC, next + 1);
  }
  if (next >= 0) close(next);
}

static void release_low_descriptors(struct held *held) {
  while (held->count > 0) close(held->descriptors[--held->count]);
}

// MARK: - Loading

static bool is_own_lttng;
static bool handles_forks;
// In a child: LTTng is that of the parent until the first event.
static bool is_of_parent;

// LTTng registers its own handlers with a preloaded liblttng-ust-fork.so: not both.
static bool lttng_handles_forks(void) {
  Dl_info info;
  void *fork_function = dlsym(RTLD_DEFAULT, "fork");
  return fork_function && dladdr(fork_function, &info) && info.dli_fname &&
         strstr(info.dli_fname, "lttng-ust-fork");
}

// The path of the tracepoints' library, beside this one; links are followed.
static bool find_library(char path[4096]) {
  Dl_info self;
  if (!dladdr((void *)find_library, &self) || !self.dli_fname) return false;
  char *file = realpath(self.dli_fname, NULL);
  const char *own = file ? file : self.dli_fname;
  const char *slash = strrchr(own, '/');
  int count = snprintf(path, 4096, "%.*s/libstorescope-probe-lttng.so", slash ? (int)(slash - own) : 1,
                       slash ? own : ".");
  free(file);
  return count > 0 && count < 4096;
}

static const struct tracepoints *open_library(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const struct tracepoints *(*get)(void) = library ? dlsym(library, "storescope_probe_tracepoints") : NULL;
  dlerror();
  return get ? get() : NULL;
}

// LTTng's destructors cancel its threads, which needs a library, files and system calls that a process may not have
// any more. At the end of a process they are not needed: the daemon sees the end of its sockets.
static void skip_destructors(void) {
  static const char *const objects[] = {"/liblttng-ust", "libstorescope-probe-lttng"};
  for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) replace_destructors(objects[i]);
}

// A filter of system calls may not permit a log's calls either.
static void leave_untraced(const char *reason) {
  errno = 0;
  bool is_logged = reason != restricted_calls && log_open_for_tracer();
  // ESHUTDOWN: the recording has ended, and no reader misses this process.
  if (!is_logged && errno != ESHUTDOWN) log_untraced(reason);
}

bool awaits_session;
bool has_no_session;

// LTTng waits for its daemon as this library is loaded, and goes on without it after a while. A daemon that has no
// memory for the buffers of a session reports nothing; other sessions may have enabled the events.
static void check_session(void) {
  awaits_session = setting("STORE_TRACE_RECORDING") != NULL;
  has_no_session = false;
  if (awaits_session && !*tracepoints->run_state) session_answered(false);
}

void session_answered(bool has_session) {
  awaits_session = false;
  if (has_session) return;
  has_no_session = true;
  stop_tracing();
  leave_untraced("LTTng has no session for it: its daemon did not answer in time, or had no memory for buffers");
}

void load_lttng(void) {
  const char *value = setting("STORE_PROBE_LTTNG");
  char path[4096];
  recording_process = getpid();
  if (value && strcmp(value, "0") == 0) return;
  const char *reason = lttng_obstacle();
  if (!reason && !(find_library(path) && access(path, R_OK) == 0)) reason = "libstorescope-probe-lttng.so is not found";
  if (reason) return leave_untraced(reason);
  is_own_lttng = dlopen("liblttng-ust.so.1", RTLD_NOW | RTLD_NOLOAD) == NULL;
  struct held held;
  hold_low_descriptors(&held);
  tracepoints = open_library(path);
  release_low_descriptors(&held);
  if (!tracepoints) return leave_untraced("liblttng-ust cannot be loaded");
  if (is_own_lttng) skip_destructors();
  follow_lttng_descriptors(tracepoints);
  tracepoint_state = tracepoints->run_state;
  handles_forks = !lttng_handles_forks();
  check_session();
}

static bool is_left;

bool lttng_is_here(void) {
  // Not in the child of vfork(), which shares this memory and closes descriptors of its own.
  return tracepoints && !is_left && current_process() == recording_process;
}

// Before a filter for all threads, into which LTTng's own would run.
void leave_lttng(void) {
  if (!lttng_is_here() || is_of_parent || !is_own_lttng) return;
  stop_tracing();
  is_left = true;
  run_replaced_destructors();
  wait_for_lttng_threads();
  log_untraced("a seccomp filter for all threads may end the program at a call of LTTng");
}

void stop_tracing(void) { __atomic_store_n(&tracepoint_state, &tracepoints_off, __ATOMIC_SEQ_CST); }

void restore_tracing(void) {
  bool is_on = tracepoints && !is_left && !has_no_session;
  tracepoint_state = is_on ? tracepoints->run_state : &tracepoints_off;
}

// MARK: - Forks

static _Thread_local sigset_t signals_before_fork;

void lttng_before_fork(void) {
  if (tracepoints && handles_forks && !is_of_parent && !is_left) tracepoints->before_fork(&signals_before_fork);
}

void lttng_after_fork_parent(void) {
  if (tracepoints && handles_forks && !is_of_parent && !is_left) tracepoints->after_fork_parent(&signals_before_fork);
}

// Most children execute another program soon: LTTng's locks are released as in the parent, and it begins again with
// the first event.
void lttng_after_fork_child(void) {
  static const int tracepoints_unknown = 1;
  lttng_after_fork_parent();
  recording_process = getpid();
  if (!tracepoints || !handles_forks || is_left) return;
  is_of_parent = true;
  tracepoint_state = &tracepoints_unknown;
}

void begin_lttng_in_child(void) {
  if (!is_of_parent) return;
  is_of_parent = false;
  const char *reason = lttng_obstacle();
  if (reason) {
    tracepoint_state = &tracepoints_off;
    tracepoints = NULL;
    return leave_untraced(reason);
  }
  sigset_t signals;
  struct held held;
  hold_low_descriptors(&held);
  tracepoints->before_fork(&signals);
  tracepoints->after_fork_child(&signals);
  release_low_descriptors(&held);
  tracepoint_state = tracepoints->run_state;
  check_session();
}
