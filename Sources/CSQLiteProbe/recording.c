// SPDX-License-Identifier: Apache-2.0

// The destinations of events: the debug log, and LTTng's tracepoints, which are in a separate
// library.

#define _GNU_SOURCE
#include "recording.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard.h"
#include "lifecycle.h"
#include "log.h"
#include "portable.h"
#include "process.h"
#include "settings.h"
#include "sqliteprobe.h"
#include "tracer.h"

static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;

static bool is_child;
// A recorder has attached, and nothing was recorded since.
static bool is_resumed;
static bool has_started;
// That which records.
static pid_t process;

static void begin_attached(void);

static void begin(void) {
  process = getpid();
  if (is_child) {
    is_child = false;
    log_begin_in_child();
    begin_lttng_in_child();
  }
  // A recorder may attach meanwhile, or detach.
  do {
    while (__atomic_exchange_n(&is_resumed, false, __ATOMIC_SEQ_CST)) begin_attached();
    if (is_idle) stop_recording();
    if ((log_level | *tracepoint_state) == 0) continue;
    __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&was_recording, 1, __ATOMIC_SEQ_CST);
  } while (__atomic_load_n(&is_resumed, __ATOMIC_SEQ_CST));
}

// Several threads may notice that a listener begins. Only one of them triggers that everything is
// reported again, and none continues before the generation is the new one.
static void begin_once(void) {
  pthread_mutex_lock(&beginning);
  if (!was_recording) begin();
  pthread_mutex_unlock(&beginning);
}

bool recording_began(void) {
  int error = errno;
  GUARDED(begin_once);
  errno = error;
  return was_recording != 0;
}

void recording_ended(void) { was_recording = 0; }

void stop_recording(void) {
  log_level = 0;
  stop_tracing();
}

// LTTng enables the events of a session some milliseconds before it starts the session, and the events
// may be enabled for a session of other processes. Events announced before a session accepted the first event are
// announced again.
static void note_delivery(bool is_accepted) {
  if (LIKELY(__atomic_load_n(&is_received, __ATOMIC_RELAXED) == is_accepted)) return;
  if (!__atomic_exchange_n(&is_received, is_accepted, __ATOMIC_RELAXED) && is_accepted)
    __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
}

// Events of this process; announcements are left out, since a reader may miss or repeat them.
static uint64_t event_count;

static void emit_last_events(void);
static void emit_last_counters(void);
static void emit_counters(void);

// MARK: - Starting

// A child only gets a mark: most of them execute another program and run no statement.
static void after_fork_child(void) {
  is_child = true;
  was_recording = 0;
  pthread_mutex_init(&beginning, NULL);
  this_thread.thread_id = 0;
  lifecycle_after_fork();
  event_count = 0;
  generation++;
  log_after_fork();
  lttng_after_fork_child();
}

static int exit_status;

static void keep_status(int status, void *context) {
  (void)context;
  exit_status = status & 0xff;
}

// For a program that reads its own log: its last counters and the closing line are in it afterwards, and
// nothing is added to it any more.
EXPORTED void sqliteprobe_finish(int status) {
  emit_last_events();
  log_ends();
  emit_last_counters();
  log_close(status);
  stop_recording();
}

// A destructor runs after the handlers of atexit(), in which a program may still use SQLite.
__attribute__((destructor)) static void end_log(void) { log_close(exit_status); }

static void read_settings(void) {
  const char *values = setting("STORE_TRACE_VALUES");
  record_values = values && *values && strcmp(values, "0") != 0;
  values_are_whole = record_values && strcmp(values, "whole") == 0;
  lifecycle_start();
  log_open();
}

static void start(void) {
  int error = errno;
  if (__atomic_exchange_n(&is_resumed, false, __ATOMIC_SEQ_CST)) stop_tracing();
  has_started = true;
  read_settings();
  load_lttng();
  // Not in musl, where a log ends without a status.
  if (on_exit) on_exit(keep_status, NULL);
  atexit(emit_last_counters);
  at_forks(lttng_before_fork, lttng_after_fork_parent, after_fork_child);
  errno = error;
}

static void end_now(int status) {
  if (event_count > 0) emit_counters();
  log_close(status);
}

// A worker that ends by _exit() has its counters as well. Not a child that has not recorded, or shares its memory with
// its parent; nor a signal handler that interrupted the probe.
void recording_exits(int status) {
  if (is_filtered || !was_recording || is_child || this_thread.is_guarded || getpid() != process) return;
  GUARDED(end_now, WORD(status & 0xff));
}

static pthread_once_t start_once = PTHREAD_ONCE_INIT;

static void start_guarded(void) { GUARDED(start); }

// Called with the first connection: a process that opens none pays nothing.
void start_recording_once(void) { pthread_once(&start_once, start_guarded); }

void resume_recording(void) {
  static const int tracepoints_unknown = 1;
  current_recording++;
  // In this order: see begin().
  __atomic_store_n(&is_resumed, true, __ATOMIC_SEQ_CST);
  __atomic_store_n(&was_recording, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&tracepoint_state, &tracepoints_unknown, __ATOMIC_SEQ_CST);
}

static void begin_attached(void) {
  stop_tracing();
  if (!has_started) return start_recording_once();
  // An earlier recorder's log has counted its own events.
  __atomic_store_n(&event_count, 0, __ATOMIC_RELAXED);
  restore_tracing();
  read_settings();
}

// MARK: - Events

uint64_t next_run_id(void) {
  static uint64_t last;
  return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static uint64_t count_event(uint64_t *count) { return count ? __atomic_fetch_add(count, 1, __ATOMIC_RELAXED) : 0; }

// Returns whether a session accepted the event, which is known only of one with a text.
static bool trace_event(enum event_kind kind, const void *event) {
  bool is_accepted = tracepoints->send[kind](event);
  if (UNLIKELY(awaits_session) &&
      (kind == EVENT_connection_opened || kind == EVENT_statement || kind == EVENT_statement_run))
    session_answered(is_accepted);
  return is_accepted;
}

// A log counts the events that it accepts.
static void write_event(enum event_kind kind, const void *event, uint64_t *count) {
  if (tracepoints && !has_no_session) trace_event(kind, event);
  if (log_level > 0) log_event(kind, event, count);
  else count_event(count);
}

// With it, a reader compares the events that it read with those that were emitted before this one.
static void emit_counters(void) {
  if (!is_recording()) return;
  if (log_level > 0) log_counters(&event_count);
  uint64_t events = log_level > 0 ? event_count - 1 : count_event(&event_count);
  if (tracepoints && !has_no_session) tracepoints->send[EVENT_counters](&(struct counters_event){.events = events});
}

static void emit_last_events(void) {
  if (was_recording && is_recording()) lifecycle_end();
}

// A process may end without closing its connections.
static void emit_last_counters(void) {
  if (!was_recording) return;
  emit_last_events();
  if (__atomic_load_n(&event_count, __ATOMIC_RELAXED) > 0) emit_counters();
}

static void send(enum event_kind kind, const void *event) {
  write_event(kind, event, kind != EVENT_caller && kind != EVENT_values ? &event_count : NULL);
  if (kind == EVENT_connection_closed) emit_counters();
}

// The text of STORE_SQL_DEBUG has it in the `sql:` line of each run.
static void send_statement(const struct statement_event *event) {
  if (log_is_short()) log_event(EVENT_statement, event, NULL);
  if (!tracepoints || *tracepoint_state == 0) return;
  bool is_accepted = trace_event(EVENT_statement, event);
  note_delivery(is_accepted || *tracepoints->statement_state == 0);
}

static void send_run(const struct statement_run_event *event, const char *sql,
                     const struct bound_values *values) {
  // Off: for a session that begins later, beside a log.
  if (!tracepoints || *tracepoint_state == 0) is_received = log_is_short();
  else note_delivery(trace_event(EVENT_statement_run, event));
  if (log_level > 0) log_run(event, sql, values, &event_count);
  else count_event(&event_count);
}

static void send_copy_not_observed(const struct copy_not_observed_event *event) {
  start_recording_once();
  if (is_recording()) send(EVENT_copy_not_observed, event);
}

// MARK: - Guarded

void emit(enum event_kind kind, const void *event) { GUARDED(send, WORD(kind), WORD(event)); }

void emit_statement(uint64_t connection_id, uint64_t statement_id, const char *sql) {
  struct statement_event event = {
      .store_id = connection_id, .statement_id = statement_id, .sql = sql};
  GUARDED(send_statement, WORD(&event));
}

void emit_run(const struct statement_run_event *event, const char *sql,
              const struct bound_values *values) {
  GUARDED(send_run, WORD(event), WORD(sql), WORD(values));
}

void emit_copy_not_observed(const char *path, const char *version, const char *reason) {
  struct copy_not_observed_event event = {
      .sqlite_path = path, .sqlite_version = version, .reason = reason};
  GUARDED(send_copy_not_observed, WORD(&event));
}
