// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>

// Whether LTTng's threads and descriptors belong to this process.
bool lttng_is_here(void);
void load_lttng(void);
// Whether a recording's session has yet to accept its first event.
extern bool awaits_session;
// Whether the process is recorded without LTTng, or not at all, though LTTng is here.
extern bool has_no_session;
void session_answered(bool has_session);
// Removes LTTng's threads.
void leave_lttng(void);
void stop_tracing(void);
// The state of the tracepoints without a request: their own, or off.
void restore_tracing(void);
void lttng_before_fork(void);
void lttng_after_fork_parent(void);
void lttng_after_fork_child(void);
void begin_lttng_in_child(void);
