// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "statements.h"

// A run that takes longer, in ns, is slow: 5 ms.
enum { SLOW = 5000000 };

void begin_run(struct statement *statement, bool is_traced);
void resume_run(struct statement *statement);
void take_step_time(struct statement *statement, int64_t start, int64_t end);
// Looks up the line of a slow run that has none, within a call that runs it.
void look_up_slow(struct statement *statement);
void end_run(struct statement *statement, int code, int64_t now);
void flush_pending(struct connection *connection, int code);
void report_waits(struct connection *connection, int code);
const char *describe_error(struct connection *connection, int code);
