// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "statements.h"

// Of the first steps of a run, which are all timed.
enum { KEPT_ROWS = 32 };

// The number of the last run that returned two rows.
extern uint64_t last_list;

static inline bool has_lists(void) { return __atomic_load_n(&last_list, __ATOMIC_RELAXED) != 0; }

// Keeps hashes of the row that a step returned.
void row_returned(struct statement *statement);
// Finds the row with the values of a run, as parameters or as literals.
void find_origin(struct statement *statement);
