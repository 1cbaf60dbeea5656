// SPDX-License-Identifier: Apache-2.0

// The values that a program binds: a hash of each, and where values are wanted, an SQL literal.

#include <stdio.h>
#include <string.h>

#include "probe.h"

enum { LONGEST_KEPT = 256, LONGEST_HASHED = 1024 };

// A text or a blob as a literal; a long one is cut, and its length is stated.
void keep_text(struct statement *statement, int index, const char *text, size_t length) {
  char literal[LONGEST_KEPT * 6 + 64];
  char valid[LONGEST_KEPT * 3];
  size_t count = 0;
  size_t kept = length;
  if (length > LONGEST_KEPT)
    for (kept = LONGEST_KEPT; kept > 0 && (text[kept] & 0xc0) == 0x80; kept--) continue;
  size_t valid_count = copy_valid_utf8(valid, text, kept);
  literal[count++] = '\'';
  for (size_t i = 0; i < valid_count; i++) {
    if (valid[i] == 0) continue;
    if (valid[i] == '\'') literal[count++] = '\'';
    literal[count++] = valid[i];
  }
  if (kept < length)
    snprintf(literal + count, sizeof literal - count, "…' /* cut, %zu bytes */", length);
  else strcpy(literal + count, "'");
  value_kept(statement, index, literal);
}

void keep_blob(struct statement *statement, int index, const unsigned char *blob,
                      size_t length) {
  char literal[LONGEST_KEPT * 2 + 64] = "x'";
  size_t count = 2;
  for (size_t i = 0; i < length && i < LONGEST_KEPT; i++)
    count += (size_t)sprintf(literal + count, "%02x", blob[i]);
  if (length > LONGEST_KEPT)
    snprintf(literal + count, sizeof literal - count, "' /* cut, %zu bytes */", length);
  else strcpy(literal + count, "'");
  value_kept(statement, index, literal);
}

void keep_zeroes(struct statement *statement, int index, uint64_t length) {
  char literal[48];
  snprintf(literal, sizeof literal, "x'' /* cut, %llu bytes */", (unsigned long long)length);
  value_kept(statement, index, literal);
}

// Long values are hashed by their beginning, end and length.
static uint64_t hash_value(const void *bytes, size_t length, uint64_t type) {
  if (!bytes) return type;
  if (length <= LONGEST_HASHED) return hash_bytes(bytes, length, type);
  const char *end = (const char *)bytes + length - LONGEST_HASHED / 2;
  return hash_bytes(end, LONGEST_HASHED / 2, hash_bytes(bytes, LONGEST_HASHED / 2, type ^ length));
}

void bound_null(struct copy *copy, sqlite3_stmt *stmt, int index) {
  struct statement *statement = observe_statement(copy, stmt);
  if (!statement) return;
  value_bound(statement, index, 2);
  if (keeps_values()) value_kept(statement, index, "NULL");
}

void bound_integer(struct copy *copy, sqlite3_stmt *stmt, int index, int64_t value) {
  struct statement *statement = observe_statement(copy, stmt);
  if (!statement) return;
  value_bound(statement, index, (uint64_t)value * 0x9e3779b97f4a7c15u + 1);
  if (!keeps_values()) return;
  char literal[32];
  snprintf(literal, sizeof literal, "%lld", (long long)value);
  value_kept(statement, index, literal);
}

static const char *literal_of_double(double value, char literal[40]) {
  if (value != value) return "NULL";
  if (value - value != 0) return value > 0 ? "9e999" : "-9e999";
  snprintf(literal, 40, "%.17g", value);
  if (!strpbrk(literal, ".e")) strcat(literal, ".0");
  return literal;
}

void bound_double(struct copy *copy, sqlite3_stmt *stmt, int index, double value) {
  struct statement *statement = observe_statement(copy, stmt);
  if (!statement) return;
  value_bound(statement, index, hash_bytes(&value, sizeof value, 5));
  char literal[40];
  if (keeps_values()) value_kept(statement, index, literal_of_double(value, literal));
}

void bound_bytes(struct copy *copy, sqlite3_stmt *stmt, int index, const void *bytes,
                        size_t length, bool is_text) {
  struct statement *statement = observe_statement(copy, stmt);
  if (!statement) return;
  value_bound(statement, index, hash_value(bytes, length, is_text ? 3 : 4));
  if (!keeps_values()) return;
  if (!bytes) value_kept(statement, index, "NULL");
  else if (is_text) keep_text(statement, index, bytes, length);
  else keep_blob(statement, index, bytes, length);
}

void bound_zeroes(struct copy *copy, sqlite3_stmt *stmt, int index, uint64_t length) {
  struct statement *statement = observe_statement(copy, stmt);
  if (!statement) return;
  value_bound(statement, index, length * 7 + 6);
  if (keeps_values()) keep_zeroes(statement, index, length);
}
