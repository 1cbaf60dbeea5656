// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "events.h"

void log_open(void);
bool log_open_for_tracer(void);
// Whether the log was that of a recording which has ended.
bool log_has_ended(void);
void log_after_fork(void);
void log_begin_in_child(void);
// Reports once that this process is not traced, where a recording expects it to be.
void log_untraced(const char *reason);
void log_close(int status);
// Whether statements are announced, and their runs have no text.
bool log_is_short(void);
// Counts the event where the log takes it.
void log_event(enum event_kind kind, const void *event, uint64_t *count);
void log_counters(uint64_t *count);
// From now on the log takes only counters: other threads may be about to write.
void log_ends(void);
// `values` may be NULL.
void log_run(const struct statement_run_event *event, const char *sql,
             const struct bound_values *values, uint64_t *count);
void log_warning(const char *text);
