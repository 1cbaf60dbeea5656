// SPDX-License-Identifier: Apache-2.0

// The destinations of events: the debug log, and LTTng's tracepoints, which are in a separate
// library.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"
#include "sqliteprobe.h"

#pragma weak on_exit

int log_level;
bool record_values;
unsigned generation = 1;
int was_recording;

static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;

static bool is_child;

static void begin(void) {
  if (is_child) {
    is_child = false;
    begin_lttng_in_child();
    log_begin_in_child();
  }
  if ((log_level | *tracepoint_state) == 0) return;
  __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&was_recording, 1, __ATOMIC_RELEASE);
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

bool is_received = true;

// LTTng enables the events of a session some milliseconds before it starts the session, and the events
// may be enabled for a session of other processes. What was announced before a session accepted the
// first event is announced again.
static void note_delivery(bool is_accepted) {
  if (LIKELY(__atomic_load_n(&is_received, __ATOMIC_RELAXED) == is_accepted)) return;
  if (!__atomic_exchange_n(&is_received, is_accepted, __ATOMIC_RELAXED) && is_accepted)
    __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
}

// Events of this process; announcements are left out, since a reader may miss or repeat them.
static uint64_t event_count;

static void emit_last_counters(void);

// MARK: - Starting

// A child only gets a mark: most of them execute another program and run no statement.
static void after_fork_child(void) {
  is_child = true;
  was_recording = 0;
  pthread_mutex_init(&beginning, NULL);
  process_after_fork();
  copies_after_fork();
  static_copies_after_fork();
  connections_after_fork();
  statements_after_fork();
  texts_after_fork();
  slots_after_fork();
  callers_after_fork();
  event_count = 0;
  generation++;
  log_after_fork();
  lttng_after_fork_child();
}

// The function that pthread_atfork() of glibc calls; weak, see loading.c.
extern void *__dso_handle;
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *)
    __attribute__((weak));

static int exit_status;

static void keep_status(int status, void *context) {
  (void)context;
  exit_status = status & 0xff;
}

// For a program that reads its own log: its last counters and the closing line are in it afterwards, and
// nothing is added to it any more.
EXPORTED void sqliteprobe_finish(int status) {
  emit_last_counters();
  log_close(status);
  stop_recording();
}

// A destructor runs after the handlers of atexit(), in which a program may still use SQLite.
__attribute__((destructor)) static void end_log(void) { log_close(exit_status); }

static void start(void) {
  int error = errno;
  const char *values = getenv("STORE_TRACE_VALUES");
  record_values = values && *values && strcmp(values, "0") != 0;
  values_start();
  callers_start();
  log_open();
  load_lttng();
  // Not in musl, where a log ends without a status.
  if (on_exit) on_exit(keep_status, NULL);
  atexit(emit_last_counters);
  if (__register_atfork)
    __register_atfork(lttng_before_fork, lttng_after_fork_parent, after_fork_child, __dso_handle);
  errno = error;
}

static pthread_once_t start_once = PTHREAD_ONCE_INIT;

static void start_guarded(void) { GUARDED(start); }

// Called with the first connection: a process that opens none pays nothing.
void start_recording_once(void) { pthread_once(&start_once, start_guarded); }

// MARK: - Events

#define UNSIGNED(name, value) {name, FIELD_UNSIGNED, (uint64_t)(value), NULL}
#define SIGNED(name, value) {name, FIELD_SIGNED, (uint64_t)(value), NULL}
#define TEXT(name, value) {name, FIELD_TEXT, 0, value}
#define COUNT(fields) (sizeof(fields) / sizeof *(fields))

static void count_event(void) { __atomic_add_fetch(&event_count, 1, __ATOMIC_RELAXED); }

// With it, a reader compares the events that it read with those that were emitted before this one.
static void emit_counters(void) {
  if (!is_recording()) return;
  uint64_t events = __atomic_fetch_add(&event_count, 1, __ATOMIC_RELAXED);
  if (log_level > 0) {
    struct field fields[] = {
        UNSIGNED("store_id", 0), UNSIGNED("fetches", 0), UNSIGNED("faults", 0),
        UNSIGNED("cache_hits", 0), UNSIGNED("cache_misses", 0), UNSIGNED("saves", 0),
        UNSIGNED("events", events), SIGNED("tracing_ns", 0)};
    log_event("counters", fields, COUNT(fields));
  }
  if (tracepoints) tracepoints->counters(events);
}

// A process may end without closing its connections.
static void emit_last_counters(void) {
  if (!was_recording) return;
  if (is_recording()) report_silent_connections();
  if (__atomic_load_n(&event_count, __ATOMIC_RELAXED) > 0) emit_counters();
}

static void send_opened(const struct connection_opened *event) {
  count_event();
  if (log_level > 0) {
    struct field fields[] = {
        UNSIGNED("connection_id", event->connection_id), TEXT("path", event->path),
        TEXT("vfs", event->vfs), UNSIGNED("flags", event->flags),
        TEXT("sqlite_version", event->sqlite_version), TEXT("sqlite_path", event->sqlite_path),
        TEXT("way", event->way), UNSIGNED("device", event->device),
        UNSIGNED("inode", event->inode), SIGNED("process_start_ns", event->process_start_ns),
        TEXT("process_name", event->process_name)};
    log_opened(event->path, fields, COUNT(fields));
  }
  if (tracepoints) tracepoints->opened(event);
}

static void send_closed(uint64_t connection_id) {
  count_event();
  if (log_level > 0) {
    struct field fields[] = {UNSIGNED("connection_id", connection_id)};
    log_event("connection_closed", fields, COUNT(fields));
  }
  if (tracepoints) tracepoints->closed(connection_id);
  emit_counters();
}

// The log has the text in the `sql:` line of each run.
static void send_statement(uint64_t connection_id, const struct text *text) {
  if (*tracepoint_state == 0) return;
  struct delivery delivery = {false, false};
  struct announced_statement event = {connection_id, text->statement_id, text->sql, &delivery};
  note_delivery(tracepoints->statement(&event));
}

static void send_caller(const struct caller *event) {
  if (log_level > 0) {
    struct field fields[] = {
        UNSIGNED("caller_id", event->caller_id), TEXT("language", event->language),
        TEXT("file", event->file), UNSIGNED("line", event->line),
        TEXT("function", event->function), TEXT("frames", event->frames)};
    log_event("caller", fields, COUNT(fields));
  }
  if (tracepoints) tracepoints->caller(event);
}

static void send_run(struct statement_run *event, const struct text *text,
              const struct statement *bindings) {
  count_event();
  if (log_level > 0) {
    struct field fields[] = {
        UNSIGNED("connection_id", event->connection_id),
        UNSIGNED("statement_id", event->statement_id), UNSIGNED("run_id", event->run_id),
        UNSIGNED("transaction_id", event->transaction_id), UNSIGNED("caller_id", event->caller_id),
        UNSIGNED("bind_hash", event->bind_hash), SIGNED("step_ns", event->step_ns),
        SIGNED("open_ns", event->open_ns), UNSIGNED("rows", event->rows),
        UNSIGNED("changes", event->changes), UNSIGNED("readonly", event->readonly),
        UNSIGNED("vm_steps", event->vm_steps), UNSIGNED("fullscan_steps", event->fullscan_steps),
        UNSIGNED("sorts", event->sorts), UNSIGNED("autoindex_rows", event->autoindex_rows),
        UNSIGNED("memory", event->memory), UNSIGNED("reprepares", event->reprepares),
        UNSIGNED("filter_hits", event->filter_hits),
        UNSIGNED("filter_misses", event->filter_misses),
        UNSIGNED("timed_steps", event->timed_steps), TEXT("error", event->error)};
    log_run(event, text, bindings, fields, COUNT(fields));
  }
  if (*tracepoint_state == 0) {
    // Of a session that begins later, beside a log.
    is_received = false;
    return;
  }
  struct delivery delivery = {false, false};
  event->delivery = &delivery;
  note_delivery(tracepoints->run(event));
}

static void send_transaction(const struct transaction *event) {
  count_event();
  if (log_level > 0) {
    struct field fields[] = {
        UNSIGNED("store_id", event->store_id), UNSIGNED("save_id", event->save_id),
        TEXT("outcome", event->outcome), SIGNED("wait_ns", event->wait_ns),
        SIGNED("total_ns", event->total_ns), UNSIGNED("transaction_id", event->transaction_id),
        TEXT("kind", event->kind), SIGNED("writer_ns", event->writer_ns),
        UNSIGNED("statements", event->statements), SIGNED("idle_ns", event->idle_ns),
        UNSIGNED("log_bytes", event->log_bytes)};
    log_event("transaction", fields, COUNT(fields));
  }
  if (tracepoints) tracepoints->transaction(event);
}

static void send_busy(uint64_t connection_id, uint64_t attempts, int64_t wait_ns, uint64_t gave_up) {
  count_event();
  if (log_level > 0) {
    struct field fields[] = {UNSIGNED("store_id", connection_id), UNSIGNED("attempts", attempts),
                             SIGNED("wait_ns", wait_ns), UNSIGNED("gave_up", gave_up)};
    log_busy(wait_ns, gave_up, fields, COUNT(fields));
  }
  if (tracepoints) tracepoints->busy(connection_id, attempts, wait_ns, gave_up);
}

static void send_checkpoint(uint64_t connection_id, const char *mode, uint64_t log_frames,
                     uint64_t checkpointed_frames, int64_t total_ns) {
  count_event();
  if (log_level > 0) {
    struct field fields[] = {
        UNSIGNED("store_id", connection_id), TEXT("mode", mode),
        UNSIGNED("log_frames", log_frames), UNSIGNED("checkpointed_frames", checkpointed_frames),
        SIGNED("total_ns", total_ns)};
    log_event("checkpoint", fields, COUNT(fields));
  }
  if (tracepoints)
    tracepoints->checkpoint(connection_id, mode, log_frames, checkpointed_frames, total_ns);
}

// A log has the values of each run from level 2 on.
static void send_values(uint64_t connection_id, uint64_t statement_id, const char *values) {
  if (tracepoints) tracepoints->values(connection_id, statement_id, values);
}

static void send_copy_not_observed(const char *path, const char *version, const char *reason) {
  start_recording_once();
  if (!is_recording()) return;
  count_event();
  if (log_level > 0) {
    char text[4700];
    snprintf(text, sizeof text, "a copy of SQLite %s in %s was seen and not observed: %s", version,
             path, reason);
    log_warning(text);
    struct field fields[] = {TEXT("sqlite_path", path), TEXT("sqlite_version", version),
                             TEXT("reason", reason)};
    log_event("copy_not_observed", fields, COUNT(fields));
  }
  if (tracepoints) tracepoints->copy_not_observed(path, version, reason);
}

static void send_statement_io(const struct statement_io *event) {
  count_event();
  if (log_level > 0) {
    struct field fields[] = {
        UNSIGNED("store_id", event->store_id), UNSIGNED("run_id", event->run_id),
        UNSIGNED("cache_hits", event->cache_hits), UNSIGNED("cache_misses", event->cache_misses),
        UNSIGNED("reads", event->reads), UNSIGNED("read_bytes", event->read_bytes),
        SIGNED("read_ns", event->read_ns), UNSIGNED("writes", event->writes),
        UNSIGNED("write_bytes", event->write_bytes), SIGNED("write_ns", event->write_ns),
        UNSIGNED("syncs", event->syncs), SIGNED("sync_ns", event->sync_ns),
        SIGNED("checkpoint_ns", event->checkpoint_ns)};
    log_event("statement_io", fields, COUNT(fields));
  }
  if (tracepoints) tracepoints->statement_io(event);
}

static void send_commit_io(const struct commit_io *event) {
  count_event();
  if (log_level > 0) {
    struct field fields[] = {
        UNSIGNED("store_id", event->store_id), UNSIGNED("transaction_id", event->transaction_id),
        UNSIGNED("save_id", event->save_id), SIGNED("wait_ns", event->wait_ns),
        SIGNED("body_ns", event->body_ns), SIGNED("log_ns", event->log_ns),
        SIGNED("file_ns", event->file_ns), SIGNED("sync_ns", event->sync_ns),
        SIGNED("checkpoint_ns", event->checkpoint_ns), SIGNED("commit_ns", event->commit_ns),
        SIGNED("total_ns", event->total_ns), UNSIGNED("changes", event->changes),
        UNSIGNED("log_writes", event->log_writes), UNSIGNED("file_writes", event->file_writes),
        UNSIGNED("syncs", event->syncs), UNSIGNED("checkpoints", event->checkpoints),
        UNSIGNED("checkpoint_writes", event->checkpoint_writes),
        UNSIGNED("checkpoint_syncs", event->checkpoint_syncs)};
    log_event("commit_io", fields, COUNT(fields));
  }
  if (tracepoints) tracepoints->commit_io(event);
}

// MARK: - Guarded

#define EMISSION(name, parameters, ...) \
  void emit_##name parameters { GUARDED(send_##name, __VA_ARGS__); }

EMISSION(opened, (const struct connection_opened *event), WORD(event))
EMISSION(closed, (uint64_t connection_id), WORD(connection_id))
EMISSION(statement, (uint64_t connection_id, const struct text *text),
         WORD(connection_id), WORD(text))
EMISSION(caller, (const struct caller *event), WORD(event))
EMISSION(run, (struct statement_run *event, const struct text *text,
                     const struct statement *bindings),
         WORD(event), WORD(text), WORD(bindings))
EMISSION(transaction, (const struct transaction *event), WORD(event))
EMISSION(busy, (uint64_t connection_id, uint64_t attempts, int64_t wait_ns, uint64_t gave_up),
         WORD(connection_id), WORD(attempts), WORD(wait_ns), WORD(gave_up))
EMISSION(checkpoint, (uint64_t connection_id, const char *mode, uint64_t log_frames,
                     uint64_t checkpointed_frames, int64_t total_ns),
         WORD(connection_id), WORD(mode), WORD(log_frames), WORD(checkpointed_frames),
         WORD(total_ns))
EMISSION(values, (uint64_t connection_id, uint64_t statement_id, const char *values),
         WORD(connection_id), WORD(statement_id), WORD(values))
EMISSION(copy_not_observed, (const char *path, const char *version, const char *reason),
         WORD(path), WORD(version), WORD(reason))
EMISSION(statement_io, (const struct statement_io *event), WORD(event))
EMISSION(commit_io, (const struct commit_io *event), WORD(event))
