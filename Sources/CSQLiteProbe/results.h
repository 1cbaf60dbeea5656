// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "origins.h"
#include "state.h"

// Adds the row that a step returned to the hash of the result.
void hash_row_of_result(struct statement *statement);

// Counts a row that a step returned.
static inline void count_row(struct statement *statement) {
  if (++statement->rows <= KEPT_ROWS) row_returned(statement);
  if (UNLIKELY(values_are_whole)) hash_row_of_result(statement);
}
