// SPDX-License-Identifier: Apache-2.0

// Statements that fail before they run: reported as runs without a step.

#include "failures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callers.h"
#include "recording.h"
#include "runs.h"

// Whether an error of sqlite3_exec() was found by the parser, after the pending run.
bool is_parse_error(const struct connection *connection, int code) {
  const struct sqlite_api *api = &connection->copy->api;
  if ((code & 0xff) != 1) return false;
  if (api->error_offset && api->error_offset(connection->handle) >= 0) return true;
  const char *message = api->errmsg(connection->handle);
  return message && (strncmp(message, "near ", 5) == 0 || strncmp(message, "no such ", 8) == 0 ||
                     strstr(message, "syntax error") || strstr(message, "incomplete input") ||
                     strstr(message, "already exists") || strstr(message, "has no column"));
}

const char *statement_that_failed(const struct connection *connection, const char *sql, int code) {
  enum { MISUSE = 21 };
  if (!sql || (code & 0xff) == SQLITE_OK || (code & 0xff) == MISUSE || !is_recording()) return NULL;
  // Whatever the error is, as for a file with an unreadable schema: the first statement was not prepared.
  if (!connection->has_pending) return sql;
  if (!is_parse_error(connection, code)) return NULL;
  const struct text *last = connection->pending.text;
  const char *at = strstr(sql, last->sql);
  return at ? at + last->length : sql;
}

// The length of the first statement of several. A trigger's body is cut, which an error allows.
static size_t first_statement(const char *sql, size_t length) {
  size_t i = 0;
  while (i < length && (sql[i] == ';' || sql[i] == ' ' || (sql[i] >= '\t' && sql[i] <= '\r'))) i++;
  for (char quote = 0; i < length; i++) {
    if (quote) quote = sql[i] == quote ? 0 : quote;
    else if (sql[i] == '\'' || sql[i] == '"' || sql[i] == '`') quote = sql[i];
    else if (sql[i] == ';') break;
  }
  return i;
}

static struct text *text_of_part(const char *sql, int length) {
  size_t given = length < 0 ? strlen(sql) : strnlen(sql, (size_t)length);
  while (given > 0 && (*sql == ';' || *sql == ' ')) sql++, given--;
  char *copy = strndup(sql, first_statement(sql, given));
  struct text *text = copy ? text_of_sql(copy) : NULL;
  free(copy);
  return text;
}

// Of a statement with too many parameters the text is cut before its end: their number, and the limit that the program
// or its copy of SQLite has set.
static const char *describe_failure(struct connection *connection, const char *sql, int length, int code, char *text,
                                    size_t size) {
  enum { VARIABLE_NUMBER = 9 };
  const char *error = describe_error(connection, code);
  if (!sql || !strstr(error, "too many SQL variables")) return error;
  size_t given = length < 0 ? strlen(sql) : strnlen(sql, (size_t)length), count = 0;
  char quote = 0;
  for (size_t i = 0; i < given; i++) {
    if (quote) quote = sql[i] == quote ? 0 : quote;
    else if (sql[i] == '\'' || sql[i] == '"' || sql[i] == '`') quote = sql[i];
    else count += sql[i] == '?';
  }
  int limit = connection->copy->api.limit(connection->handle, VARIABLE_NUMBER, -1);
  snprintf(text, size, "%s (%zu, limit %d)", error, count, limit);
  return text;
}

void failed_to_prepare(struct connection *connection, const char *sql, int length, int code) {
  int error = errno;
  report_waits(connection, code);
  struct text *text = sql ? text_of_part(sql, length) : NULL;
  if (text) {
    char description[256];
    announce_connection(connection, 0);
    announce_text(connection->id, text);
    struct statement_run_event event = {
        .connection_id = connection->id,
        .statement_id = text->statement_id,
        .run_id = next_run_id(),
        .transaction_id = connection->transaction_id,
        .caller_id = caller_now(text->sql, true, true),
        .readonly = text->write == WRITES_NOTHING,
        .error = describe_failure(connection, sql, length, code, description, sizeof description),
    };
    emit_run(&event, text->sql, NULL);
    release_text(text);
  }
  errno = error;
}
