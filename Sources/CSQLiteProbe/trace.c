// SPDX-License-Identifier: Apache-2.0

// The callback of sqlite3_trace_v2(): sees the statements of sqlite3_exec(), and the statements of copies of SQLite
// with functions that cannot be hooked. Passes everything on to the program's own callbacks.

#include "trace.h"

#include <string.h>

#include "checkpoints.h"
#include "observing.h"
#include "opening.h"
#include "process.h"
#include "recording.h"
#include "results.h"
#include "runs.h"

enum { REPREPARE = 5 };

// The call of sqlite3_exec() for this connection that runs on this thread.
static struct exec *exec_of(const struct connection *connection) {
  struct exec *exec = this_thread.exec;
  return exec && exec->connection == connection ? exec : NULL;
}

// Whether a statement runs within another one: a trigger's, or one of a virtual table's own. SQLite puts dashes
// before both, and before statements that a user-defined function runs: these are the program's.
static bool is_nested(const struct connection *connection, sqlite3_stmt *stmt, const char *text) {
  const char *sql = connection->copy->api.sql(stmt);
  if (text == sql || !text || text[0] != '-' || text[1] != '-') return false;
  if (sql && strcmp(text, sql) == 0) return false;
  const struct exec *exec = exec_of(connection);
  return !sql || !exec || exec->running || strcmp(text + 3, sql) != 0;
}

static bool is_repetition(const struct connection *connection, const struct statement *statement) {
  return connection->has_pending && connection->pending.stmt == statement->stmt &&
         connection->pending.event.rows == 0 &&
         (uint32_t)connection->copy->api.stmt_status(statement->stmt, REPREPARE, 0) >
             statement->counters[REPREPARE];
}

static void began(struct connection *connection, sqlite3_stmt *stmt, const char *text) {
  if (is_nested(connection, stmt, text)) return;
  struct statement *statement = observe_statement(connection->copy, stmt);
  if (!statement) return;
  if (statement->is_running && !statement->is_traced_run) return;
  if (statement->is_running) {
    if (statement->rows == 0) return;
    end_run(statement, SQLITE_OK, clock_now());
  }
  struct exec *exec = exec_of(connection);
  if (exec && !exec->running) exec->running = stmt;
  if (is_repetition(connection, statement)) return resume_run(statement);
  flush_pending(connection, SQLITE_OK);
  begin_run(statement, true);
  this_thread.inside = connection;
  this_thread.callback_ns = 0;
}

// The statement of a run that callbacks see, or NULL if hooks see it.
static struct statement *traced_statement(struct connection *connection, sqlite3_stmt *stmt) {
  struct statement *statement = find_statement(stmt);
  if (!statement || statement->connection != connection) return NULL;
  if (!statement->is_running && is_repetition(connection, statement)) resume_run(statement);
  return statement->is_running && statement->is_traced_run ? statement : NULL;
}

// Only the time to the first row is SQLite's alone. The time to each later row includes an unknown
// time of the program; the estimate is the shortest such time for each row.
static void time_row(struct statement *statement) {
  if (statement->rows > 64 && statement->rows % 16 != 0) return;
  int64_t now = clock_now();
  if (UNLIKELY(now - statement->start > SLOW)) look_up_slow(statement);
  if (statement->rows == 1) {
    statement->sqlite_ns = now - statement->start;
    statement->timed_steps = 1;
  } else if (statement->rows <= 64 && now - statement->last_row < statement->shortest_gap) {
    statement->shortest_gap = now - statement->last_row;
  }
  statement->last_row = now;
}

static void returned_row(struct connection *connection, sqlite3_stmt *stmt) {
  struct statement *statement = traced_statement(connection, stmt);
  if (!statement) return;
  count_row(statement);
  this_thread.inside = NULL;
  time_row(statement);
  if (UNLIKELY(statement->text->is_checkpoint))
    checkpoint_returned(statement, statement->sqlite_ns);
}

static void ended(struct connection *connection, sqlite3_stmt *stmt) {
  struct statement *statement = traced_statement(connection, stmt);
  struct exec *exec = exec_of(connection);
  bool is_of_exec = exec && exec->running == stmt;
  if (is_of_exec) exec->running = NULL;
  if (!statement) return;
  int64_t now = clock_now();
  int64_t open = now - statement->start;
  if (connection->exec_depth > 0 || statement->rows == 0) {
    statement->sqlite_ns = open - this_thread.callback_ns;
    statement->timed_steps = statement->rows + 1;
  } else if (statement->rows > 1 && statement->shortest_gap != INT64_MAX) {
    statement->sqlite_ns += statement->shortest_gap * (int64_t)(statement->rows - 1);
  }
  this_thread.callback_ns = 0;
  this_thread.inside = NULL;
  // A statement that has returned a row may be ended by its reset or finalization.
  if (UNLIKELY(open > SLOW && (is_of_exec || statement->rows == 0))) look_up_slow(statement);
  end_run(statement, SQLITE_OK, now);
}

static void observe(struct connection *connection, unsigned event, void *object, void *detail) {
  switch (event) {
    case SQLITE_TRACE_STMT: return began(connection, object, detail);
    case SQLITE_TRACE_ROW: return returned_row(connection, object);
    case SQLITE_TRACE_PROFILE: return ended(connection, object);
    case SQLITE_TRACE_CLOSE: return close_connection(connection);
  }
}

static void pass_plain_text(const struct connection *connection, sqlite3_stmt *stmt,
                            const char *text) {
  const struct sqlite_api *api = &connection->copy->api;
  char *expanded = text && text[0] == '-' && text[1] == '-' ? NULL : api->expanded_sql(stmt);
  connection->program_plain_trace(connection->program_plain_context, expanded ? expanded : text);
  api->free(expanded);
}

int traced(unsigned event, void *context, void *object, void *detail) {
  struct connection *connection = context;
  connection->is_called = true;
  // sqlite3_close() refused to close it.
  if (event == SQLITE_TRACE_STMT && connection->is_closed) {
    connection->is_closed = false;
    connection->announced_generation = 0;
  }
  if ((connection->mask & event) && is_recording())
    observe(connection, event, object, detail);
  bool is_wanted = connection->program_trace && (connection->program_mask & event);
  if (event == SQLITE_TRACE_PROFILE && connection->program_profile &&
      (is_wanted || connection->is_profiled))
    connection->program_profile(connection->program_profile_context,
                                connection->copy->api.sql(object), *(const uint64_t *)detail);
  if (is_wanted)
    return connection->program_trace(event, connection->program_trace_context, object, detail);
  if (event == SQLITE_TRACE_STMT && connection->program_plain_trace)
    pass_plain_text(connection, object, detail);
  return 0;
}
