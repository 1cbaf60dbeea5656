// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "events.h"
#include "state.h"

// Returns whether it still is: in a child LTTng begins now, or does not fit in.
bool recording_began(void);
void recording_ended(void);

// Whether any event is enabled. When all are off, this is one comparison.
static inline bool is_recording(void) {
  if (LIKELY((log_level | *tracepoint_state) == 0)) {
    if (UNLIKELY(was_recording)) recording_ended();
    return false;
  }
  return LIKELY(was_recording) || recording_began();
}

void start_recording_once(void);
// The next call of SQLite begins a recording with the settings that hold now.
void resume_recording(void);
// Ends it for good.
void stop_recording(void);
// Writes an event, by its struct, to the log and the tracepoints.
void emit(enum event_kind kind, const void *event);
#define EMIT(name, ...) emit(EVENT_##name, &(struct name##_event){__VA_ARGS__})
void emit_statement(uint64_t connection_id, uint64_t statement_id, const char *sql);
// Before _exit().
void recording_exits(int status);
// With the values that it bound, as log_run() takes them.
void emit_run(const struct statement_run_event *event, const char *sql,
              const struct bound_values *values);
void emit_copy_not_observed(const char *path, const char *version, const char *reason);
uint64_t next_run_id(void);
