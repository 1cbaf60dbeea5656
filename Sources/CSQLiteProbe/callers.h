// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "statements.h"

#pragma GCC visibility push(hidden)

enum caller_mode { CALLERS_SAMPLE, CALLERS_ALL, CALLERS_NONE };
extern enum caller_mode caller_mode;
// Returns the number of the program's line that runs a statement, or 0.
uint64_t caller_of_run(struct statement *statement, const char *sql, bool may_lock);
// The same for a call that is no run.
uint64_t caller_of_call(bool may_lock);
// The same for a statement that has begun or failed. `is_in_call` is false where V8's garbage collection may end it.
uint64_t caller_now(const char *sql, bool may_lock, bool is_in_call);

#pragma GCC visibility pop
