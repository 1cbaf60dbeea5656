// SPDX-License-Identifier: Apache-2.0

// The LTTng-UST provider `sqliteprobe`. It is a separate library because lttng-ust starts threads
// when it is loaded, and a process that opens no connection must not have them.

#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "events.h"

/* Before the first tracepoint: set once, by the constructor below. */
static int64_t storescope_recording;

static uint64_t storescope_begin(struct delivery *delivery) {
  delivery->was_accepted = delivery->is_accepted;
  return 0;
}

static const char *storescope_accept(struct delivery *delivery, const char *text) {
  delivery->is_accepted = true;
  return text;
}

static int64_t storescope_end(struct delivery *delivery) {
  delivery->is_accepted = delivery->was_accepted;
  return storescope_recording;
}

#define LTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "sqliteprobe-provider.h"

// Exported by liblttng-ust-common, in no installed header.
int lttng_ust_safe_close_fd(int descriptor, int (*real)(int));
int lttng_ust_safe_fclose_stream(FILE *file, int (*real)(FILE *));
int lttng_ust_safe_closefrom_fd(int first, int (*real)(int));

// Exported by liblttng-ust and by its liblttng-ust-fork, in no installed header.
void lttng_ust_before_fork(sigset_t *signals);
void lttng_ust_after_fork_parent(sigset_t *signals);
void lttng_ust_after_fork_child(sigset_t *signals);

__attribute__((constructor)) static void read_recording(void) {
  const char *number = getenv("STORE_TRACE_RECORDING");
  if (number) storescope_recording = strtoll(number, NULL, 10);
}

#define EMIT(...) lttng_ust_tracepoint(sqliteprobe, __VA_ARGS__)

static void opened(const struct connection_opened *event) { EMIT(connection_opened, event); }
static void closed(uint64_t connection_id) { EMIT(connection_closed, connection_id); }
static bool statement(const struct announced_statement *event) {
  EMIT(statement, event);
  return event->delivery->is_accepted || !lttng_ust_tracepoint_enabled(sqliteprobe, statement);
}
static void caller(const struct caller *event) { EMIT(caller, event); }
static bool run(const struct statement_run *event) {
  EMIT(statement_run, event);
  return event->delivery->is_accepted;
}
static void transaction(const struct transaction *event) { EMIT(transaction, event); }
static void busy(uint64_t store_id, uint64_t attempts, int64_t wait_ns, uint64_t gave_up) {
  EMIT(busy, store_id, attempts, wait_ns, gave_up);
}
static void checkpoint(uint64_t store_id, const char *mode, uint64_t log_frames,
                       uint64_t checkpointed_frames, int64_t total_ns) {
  EMIT(checkpoint, store_id, mode, log_frames, checkpointed_frames, total_ns);
}
static void values(uint64_t store_id, uint64_t statement_id, const char *text) {
  EMIT(values, store_id, statement_id, text);
}
static void counters(uint64_t events) { EMIT(counters, events); }
static void copy_not_observed(const char *path, const char *version, const char *reason) {
  EMIT(copy_not_observed, path, version, reason);
}

static void statement_io(const struct statement_io *event) { EMIT(statement_io, event); }
static void commit_io(const struct commit_io *event) { EMIT(commit_io, event); }

static void before_fork(void *signals) { lttng_ust_before_fork(signals); }
static void after_fork_parent(void *signals) { lttng_ust_after_fork_parent(signals); }
static void after_fork_child(void *signals) { lttng_ust_after_fork_child(signals); }

__attribute__((visibility("default"))) const struct tracepoints *storescope_probe_tracepoints(void) {
  static const struct tracepoints tracepoints = {
      .run_state = &lttng_ust_tracepoint_sqliteprobe___statement_run.state,
      .opened = opened,
      .closed = closed,
      .statement = statement,
      .caller = caller,
      .run = run,
      .transaction = transaction,
      .busy = busy,
      .checkpoint = checkpoint,
      .values = values,
      .counters = counters,
      .copy_not_observed = copy_not_observed,
      .statement_io = statement_io,
      .commit_io = commit_io,
      .close = lttng_ust_safe_close_fd,
      .close_file = lttng_ust_safe_fclose_stream,
      .close_from = lttng_ust_safe_closefrom_fd,
      .before_fork = before_fork,
      .after_fork_parent = after_fork_parent,
      .after_fork_child = after_fork_child,
  };
  return &tracepoints;
}
