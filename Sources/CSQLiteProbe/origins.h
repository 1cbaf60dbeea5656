// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "statements.h"

// Of the first steps of a run, which are all timed.
enum { KEPT_ROWS = 32 };

// Keeps hashes of the row that a step returned.
void row_returned(struct statement *statement);
// Finds the row whose values a run has, as parameters or as literals.
void find_origin(struct statement *statement);
