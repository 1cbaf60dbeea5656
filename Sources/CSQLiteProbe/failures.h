// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "connections.h"

// Reports a statement that was not prepared. The SQL is cut after its first statement.
void failed_to_prepare(struct connection *connection, const char *sql, int length, int code);
// The statement at which the SQL of sqlite3_exec() could not be prepared further, or NULL.
const char *statement_that_failed(const struct connection *connection, const char *sql, int code);
bool is_parse_error(const struct connection *connection, int code);
