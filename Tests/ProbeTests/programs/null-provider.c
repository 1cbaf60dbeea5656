// SPDX-License-Identifier: Apache-2.0

// Stands in for libstorescope-probe-lttng.so: everything is recorded, and goes nowhere. So the probe's
// own instructions can be counted, which LTTng's would hide.

#include "events.h"

static const int on = 1;

static void opened(const struct connection_opened *event) { (void)event; }
static void closed(uint64_t connection_id) { (void)connection_id; }
static bool statement(const struct announced_statement *event) { return (void)event, true; }
static void caller(const struct caller *event) { (void)event; }
static bool run(const struct statement_run *event) { return (void)event, true; }
static void transaction(const struct transaction *event) { (void)event; }
static void busy(uint64_t store_id, uint64_t attempts, int64_t wait_ns, uint64_t gave_up) {
  (void)store_id, (void)attempts, (void)wait_ns, (void)gave_up;
}
static void checkpoint(uint64_t store_id, const char *mode, uint64_t log_frames,
                       uint64_t checkpointed_frames, int64_t total_ns) {
  (void)store_id, (void)mode, (void)log_frames, (void)checkpointed_frames, (void)total_ns;
}
static void values(uint64_t store_id, uint64_t statement_id, const char *text) {
  (void)store_id, (void)statement_id, (void)text;
}
static void counters(uint64_t events) { (void)events; }
static void copy_not_observed(const char *path, const char *version, const char *reason) {
  (void)path, (void)version, (void)reason;
}
static void statement_io(const struct statement_io *event) { (void)event; }
static void commit_io(const struct commit_io *event) { (void)event; }
static int close_one(int descriptor, int (*real)(int)) { return real(descriptor); }
static int close_file(FILE *file, int (*real)(FILE *)) { return real(file); }
static int close_from(int first, int (*real)(int)) { return (void)first, (void)real, 0; }
static void nothing(void *signals) { (void)signals; }

const struct tracepoints *storescope_probe_tracepoints(void) {
  static const struct tracepoints tracepoints = {
      &on, opened, closed, statement, caller, run, transaction, busy, checkpoint, values, counters,
      copy_not_observed, statement_io, commit_io, close_one, close_file, close_from, nothing, nothing, nothing};
  return &tracepoints;
}
