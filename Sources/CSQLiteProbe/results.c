// SPDX-License-Identifier: Apache-2.0

// The contents of results, for a recording that is replayed.

#include "results.h"

#include "connections.h"
#include "result-hash.h"

static struct CSQLiteFiles_cell cell_of(const struct sqlite_api *api, sqlite3_value *value) {
  struct CSQLiteFiles_cell cell = {.type = api->value_type(value)};
  if (cell.type == SQLITE_INTEGER) {
    cell.integer = api->value_int64(value);
  } else if (cell.type == SQLITE_FLOAT) {
    cell.real = api->value_double(value);
  } else if (cell.type == SQLITE_TEXT || cell.type == SQLITE_BLOB) {
    cell.byte_count = api->value_bytes(value);
    cell.bytes = bytes_of_value(api, value);
  }
  return cell;
}

void hash_row_of_result(struct statement *statement) {
  const struct sqlite_api *api = &statement->connection->copy->api;
  uint64_t hash = 0;
  int count = api->data_count(statement->stmt);
  for (int i = 0; i < count; i++) {
    struct CSQLiteFiles_cell cell = cell_of(api, api->column_value(statement->stmt, i));
    hash = CSQLiteFiles_hash_cell(hash, &cell);
  }
  statement->result_hash += hash;
}
