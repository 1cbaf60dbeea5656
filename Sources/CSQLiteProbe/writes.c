// SPDX-License-Identifier: Apache-2.0

// Whether a statement in autocommit mode changed a database file: an UPDATE may change no row, a DELETE
// without rows may write a page, and a table may be temporary.

#include "writes.h"

static uint32_t pages_written(const struct connection *connection) {
  int now = 0, highest = 0;
  connection->copy->api.db_status(connection->handle, SQLITE_DBSTATUS_CACHE_WRITE, &now, &highest, 0);
  return (uint32_t)now;
}

// Adds up the numbers of the write transactions of all databases but "temp", which is number 1. Returns
// false if this version of SQLite has no such numbers.
static bool add_versions(const struct connection *connection, uint32_t *sum) {
  const struct sqlite_api *api = &connection->copy->api;
  sqlite3 *handle = connection->handle;
  const char *name;
  if (!api->db_name) return false;
  *sum = 0;
  for (int i = 0; (name = api->db_name(handle, i)) != NULL; i++) {
    unsigned version = 0;
    if (i == 1) continue;
    if (api->file_control(handle, name, SQLITE_FCNTL_DATA_VERSION, &version) != SQLITE_OK) return false;
    *sum += version;
  }
  return true;
}

void writes_will_begin(struct statement *statement) {
  const struct connection *connection = statement->connection;
  statement->counts_pages = connection->has_file && connection->transaction_id == 0;
  if (!statement->counts_pages) return;
  statement->pages = pages_written(connection);
  // The pages of "temp" count as well where it does not fit into memory.
  bool has_temp = connection->copy->api.db_readonly(connection->handle, "temp") >= 0;
  statement->counts_versions = has_temp && add_versions(connection, &statement->versions);
}

enum effect effect_of(const struct statement *statement) {
  if (!statement->counts_pages) return EFFECT_UNKNOWN;
  // A program may have reset the number.
  uint32_t versions, pages = pages_written(statement->connection);
  if (pages == statement->pages || pages == 0) return EFFECT_NONE;
  if (statement->counts_versions && add_versions(statement->connection, &versions) &&
      versions == statement->versions)
    return EFFECT_NONE;
  return EFFECT_FILE;
}
