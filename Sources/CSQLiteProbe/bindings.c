// SPDX-License-Identifier: Apache-2.0

// The values that a program binds: a hash of each, and where values are wanted, an SQL literal.

#include "bindings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "literals.h"
#include "observing.h"
#include "state.h"
#include "values.h"

void bound_null(struct copy *copy, sqlite3_stmt *stmt, int index) {
  struct statement *statement = observe_statement(copy, stmt);
  if (!statement) return;
  value_bound(statement, index, HASH_NULL);
  if (keeps_values()) value_kept(statement, index, strdup("NULL"));
}

void bound_integer(struct copy *copy, sqlite3_stmt *stmt, int index, int64_t value) {
  struct statement *statement = observe_statement(copy, stmt);
  if (!statement) return;
  value_bound(statement, index, hash_of_integer(value));
  if (!keeps_values()) return;
  char literal[32];
  snprintf(literal, sizeof literal, "%lld", (long long)value);
  value_kept(statement, index, strdup(literal));
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
  value_bound(statement, index, hash_value(&value, sizeof value, HASH_DOUBLE));
  char literal[40];
  if (keeps_values()) value_kept(statement, index, strdup(literal_of_double(value, literal)));
}

static size_t length_of(const struct bound_bytes *value) {
  if (!value->is_terminated) return (size_t)value->length;
  if (value->type != BOUND_TEXT16) return strlen(value->bytes);
  const uint16_t *at = value->bytes;
  while (*at) at++;
  return (size_t)((const char *)at - (const char *)value->bytes);
}

static void read_bytes(struct bound_bytes *value) {
  bool is_text = value->type == BOUND_TEXT;
  size_t length = value->bytes ? length_of(value) : 0;
  value->is_read = true;
  value->hash = is_text ? hash_of_text(value->bytes, length) : hash_value(value->bytes, length, HASH_BLOB);
  if (!keeps_values()) return;
  if (!value->bytes) value->literal = strdup("NULL");
  else value->literal = is_text ? literal_of_text(value->bytes, length) : literal_of_blob(value->bytes, length);
}

// Whether SQLite will read the value.
static bool is_permitted(const struct sqlite_api *api, const struct bound_bytes *value) {
  sqlite3 *handle = value->stmt ? api->db_handle(value->stmt) : NULL;
  return handle && value->index >= 1 && value->index <= api->bind_parameter_count(value->stmt) &&
         !api->stmt_busy(value->stmt) &&
         (value->is_terminated || value->length <= (uint64_t)api->limit(handle, SQLITE_LIMIT_LENGTH, -1));
}

void bytes_will_be_bound(struct copy *copy, struct bound_bytes *value, void (*destructor)(void *)) {
  // SQLITE_STATIC and SQLITE_TRANSIENT: the value is there after the call.
  if (destructor == NULL || (intptr_t)destructor == -1) return;
  if (is_permitted(&copy->api, value)) read_bytes(value);
}

void bytes_were_bound(struct copy *copy, struct bound_bytes *value, int code) {
  struct statement *statement = code == SQLITE_OK ? observe_statement(copy, value->stmt) : NULL;
  if (!statement) {
    free(value->literal);
    return;
  }
  if (!value->is_read) read_bytes(value);
  value_bound(statement, value->index, value->hash);
  if (value->literal) value_kept(statement, value->index, value->literal);
}

void bound_zeroes(struct copy *copy, sqlite3_stmt *stmt, int index, uint64_t length) {
  struct statement *statement = observe_statement(copy, stmt);
  if (!statement) return;
  value_bound(statement, index, length * 7 + 6);
  if (keeps_values()) value_kept(statement, index, literal_of_zeroes(length));
}
