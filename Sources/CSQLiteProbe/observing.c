// SPDX-License-Identifier: Apache-2.0

#include "observing.h"

#include "macros.h"
#include "opening.h"

struct statement *observe_statement(struct copy *copy, sqlite3_stmt *stmt) {
  if (!stmt) return NULL;
  struct statement *statement = find_statement(stmt);
  if (LIKELY(statement != NULL)) {
    struct connection *owner = statement->connection;
    if (UNLIKELY(!is_of_recording(statement))) {
      statement->is_running = false;
      if (owner->recording != current_recording && !known_connection(copy, owner->handle)) return NULL;
    }
    // The address may belong to another connection's statement by now.
    if (statement->is_running ||
        LIKELY(!owner->is_closed && copy->api.db_handle(stmt) == owner->handle))
      return owner->is_excluded ? NULL : statement;
    forget_statement(stmt);
  }
  sqlite3 *handle = copy->api.db_handle(stmt);
  if (!handle) return NULL;
  struct connection *connection = known_connection(copy, handle);
  if (!connection) return NULL;
  statement = add_statement(stmt, connection);
  return connection->is_excluded ? NULL : statement;
}
