// SPDX-License-Identifier: Apache-2.0

// A hash of the contents of a result, the same for its rows in any order: that of a recorded run and of its replay.

#ifndef result_hash_h
#define result_hash_h

#include <stdint.h>

// A value as sqlite3_column_type() and its companions return it; NULL has no fields.
struct CSQLiteFiles_cell {
  int type;
  int64_t integer;
  double real;
  const void *bytes;
  int byte_count;
};

// The hash of the row's columns so far, and of one more.
uint64_t CSQLiteFiles_hash_cell(uint64_t row, const struct CSQLiteFiles_cell *cell);

#endif
