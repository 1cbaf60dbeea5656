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

// Whether a session accepted an event. LTTng evaluates the fields of an event first for the filter of
// a session, from the first field to the last, and again if the session takes the event.
struct delivery {
  bool is_accepted;
  bool was_accepted;
};

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

#define SEND(name) \
  static bool send_##name(const void *event) { \
    struct delivery delivery = {false, false}; \
    lttng_ust_tracepoint(sqliteprobe, name, event, &delivery); \
    return delivery.is_accepted; \
  }
PROBE_EVENTS(SEND)

static void before_fork(void *signals) { lttng_ust_before_fork(signals); }
static void after_fork_parent(void *signals) { lttng_ust_after_fork_parent(signals); }
static void after_fork_child(void *signals) { lttng_ust_after_fork_child(signals); }

__attribute__((visibility("default"))) const struct tracepoints *storescope_probe_tracepoints(void) {
  static const struct tracepoints tracepoints = {
      .run_state = &lttng_ust_tracepoint_sqliteprobe___statement_run.state,
      .statement_state = &lttng_ust_tracepoint_sqliteprobe___statement.state,
#define ENTRY(name) [EVENT_##name] = send_##name,
      .send = {PROBE_EVENTS(ENTRY)},
      .close = lttng_ust_safe_close_fd,
      .close_file = lttng_ust_safe_fclose_stream,
      .close_from = lttng_ust_safe_closefrom_fd,
      .before_fork = before_fork,
      .after_fork_parent = after_fork_parent,
      .after_fork_child = after_fork_child,
  };
  return &tracepoints;
}
