// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "statements.h"

void bound_null(struct copy *copy, sqlite3_stmt *stmt, int index);
void bound_integer(struct copy *copy, sqlite3_stmt *stmt, int index, int64_t value);
void bound_double(struct copy *copy, sqlite3_stmt *stmt, int index, double value);
void bound_zeroes(struct copy *copy, sqlite3_stmt *stmt, int index, uint64_t length);

// A text or a blob that the program binds.
struct bound_bytes {
  sqlite3_stmt *stmt;
  int index;
  const void *bytes;
  // Where `is_terminated`, to the first 0.
  uint64_t length;
  bool is_terminated;
  enum { BOUND_TEXT, BOUND_TEXT16, BOUND_BLOB } type;
  bool is_read;
  uint64_t hash;
  char *literal;
};
// Around the call, after which SQLite may have destroyed a value with a destructor.
void bytes_will_be_bound(struct copy *copy, struct bound_bytes *value, void (*destructor)(void *));
void bytes_were_bound(struct copy *copy, struct bound_bytes *value, int code);
