// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "events.h"

void log_open(void);
bool log_open_for_tracer(void);
void log_after_fork(void);
void log_begin_in_child(void);
// Reports once that this process is not traced, where a recording expects it to be.
void log_untraced(const char *reason);
void log_close(int status);
void log_event(enum event_kind kind, const void *event);
// `values` may be NULL.
void log_run(const struct statement_run_event *event, const char *sql,
             const struct bound_values *values);
void log_warning(const char *text);
