// SPDX-License-Identifier: Apache-2.0

// The calls by which a program prepares and runs statements, while something records.

#include "steps.h"

#include "checkpoints.h"
#include "failures.h"
#include "observing.h"
#include "opening.h"
#include "process.h"
#include "recording.h"
#include "results.h"
#include "runs.h"

// A step, with the clock read around it.
static int step_timed(struct copy *copy, struct statement *statement, int64_t start) {
  struct thread *thread = &this_thread;
  struct connection *outer = thread->inside;
  thread->inside = statement->connection;
  int code = copy->real.step(statement->stmt);
  thread->inside = outer;
  int64_t now = clock_now();
  take_step_time(statement, start, now);
  if (UNLIKELY(now - (code == SQLITE_ROW ? start : statement->start) > SLOW)) look_up_slow(statement);
  if (code == SQLITE_ROW) {
    count_row(statement);
  } else {
    end_run(statement, code, now);
  }
  if (UNLIKELY(statement->text->is_checkpoint) && code == SQLITE_ROW)
    checkpoint_returned(statement, now - start);
  if (statement->untimed > 0) thread->fetching = statement;
  return code;
}

// A step that was not timed returned no row.
int end_fetch(struct statement *statement, int code) {
  int64_t now = clock_now();
  if (UNLIKELY(now - statement->start > SLOW)) look_up_slow(statement);
  end_run(statement, code, now);
  return code;
}

int step_recorded(struct copy *copy, sqlite3_stmt *stmt) {
  struct statement *statement = observe_statement(copy, stmt);
  if (UNLIKELY(!statement)) return copy->real.step(stmt);
  if (statement->is_running) return step_timed(copy, statement, clock_now());
  begin_run(statement, false);
  if (UNLIKELY(!statement->text)) return copy->real.step(stmt);
  return step_timed(copy, statement, statement->start);
}

// The statement if a run of it, which hooks see, is to be ended.
static struct statement *running(sqlite3_stmt *stmt) {
  struct statement *statement = stmt ? find_statement(stmt) : NULL;
  return statement && statement->is_running && !statement->is_traced_run ? statement : NULL;
}

// The program's call may be the one that commits: it may wait and fail.
static int end_by_reset(struct copy *copy, struct statement *statement) {
  struct connection *outer = this_thread.inside;
  this_thread.inside = statement->connection;
  int64_t start = clock_now();
  int code = copy->real.reset(statement->stmt);
  int64_t now = clock_now();
  this_thread.inside = outer;
  statement->sqlite_ns += now - start;
  end_run(statement, code, now);
  return code;
}

int reset_recorded(struct copy *copy, sqlite3_stmt *stmt) {
  struct statement *statement = running(stmt);
  return statement ? end_by_reset(copy, statement) : copy->real.reset(stmt);
}

// sqlite3_finalize() resets a statement that runs, and then frees it, and a connection that was closed
// before. The two in turn do the same, and in between both can still be read.
int finalize_recorded(struct copy *copy, sqlite3_stmt *stmt) {
  struct statement *statement = running(stmt);
  struct connection *closed = UNLIKELY(lingering > 0) ? closed_with(copy, stmt) : NULL;
  int code = statement ? end_by_reset(copy, statement) : SQLITE_OK;
  if (stmt) forget_statement(stmt);
  int freed = copy->real.finalize(stmt);
  if (closed) close_connection(closed);
  return statement ? code : freed;
}

bool begin_exec(struct exec *exec, struct copy *copy, sqlite3 *handle) {
  struct thread *thread = &this_thread;
  if (!handle || !is_recording()) return false;
  struct connection *connection = known_connection(copy, handle);
  if (!connection || connection->is_excluded) return false;
  if (__atomic_fetch_add(&connection->exec_depth, 1, __ATOMIC_RELAXED) == 0 &&
      connection->is_hooked)
    set_trace(connection, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW);
  *exec = (struct exec){.outer = thread->exec, .connection = connection, .inside = thread->inside,
                        .callback_ns = thread->callback_ns};
  thread->exec = exec;
  return true;
}

void end_exec(struct exec *exec, const char *sql, int code) {
  struct thread *thread = &this_thread;
  struct connection *connection = exec->connection;
  thread->exec = exec->outer;
  thread->inside = exec->inside;
  thread->callback_ns = exec->callback_ns;
  const char *failed = statement_that_failed(connection, sql, code);
  if (connection->has_pending) flush_pending(connection, code);
  if (UNLIKELY(failed != NULL)) failed_to_prepare(connection, failed, -1, code);
  if (__atomic_sub_fetch(&connection->exec_depth, 1, __ATOMIC_RELAXED) == 0 &&
      connection->is_hooked && !connection->is_closed)
    set_trace(connection, 0);
}

// The program's time with a row is not SQLite's.
int call_timed(void *context, int count, char **values, char **names) {
  struct timed_callback *timed = context;
  int64_t start = clock_now();
  int result = timed->callback(timed->context, count, values, names);
  this_thread.callback_ns += clock_now() - start;
  return result;
}
