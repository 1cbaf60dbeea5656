// SPDX-License-Identifier: Apache-2.0

// Transactions, seen by the autocommit state after each statement.

#include "transactions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "io.h"
#include "network-hooks.h"
#include "process.h"
#include "recording.h"

static uint64_t last_transaction;

// The interval in ns at which the size of the log's file is read: 100 ms.
static const int64_t LOG_PERIOD = 100000000;

static uint64_t log_bytes(struct connection *connection, int64_t now) {
  if (connection->log_checked != 0 && now - connection->log_checked < LOG_PERIOD) return 0;
  connection->log_checked = now;
  const char *path = connection->copy->api.db_filename(connection->handle, "main");
  if (!path || !*path) return 0;
  char log[4096 + 8];
  struct stat file;
  int error = errno;
  if (snprintf(log, sizeof log, "%s-wal", path) >= (int)sizeof log || stat(log, &file) != 0)
    file.st_size = 0;
  errno = error;
  return (uint64_t)file.st_size;
}

// The kind of a transaction by the statement that began it.
static const char *kind_of(const char *sql) {
  if (strncasecmp(sql, "BEGIN", 5) != 0) return "deferred";
  sql += 5;
  while (*sql == ' ' || *sql == '\t' || *sql == '\n' || *sql == '\r') sql++;
  if (strncasecmp(sql, "IMMEDIATE", 9) == 0) return "immediate";
  if (strncasecmp(sql, "EXCLUSIVE", 9) == 0) return "exclusive";
  return "deferred";
}

static void began(struct connection *connection, const struct ended_run *run) {
  connection->transaction_id = __atomic_add_fetch(&last_transaction, 1, __ATOMIC_RELAXED);
  connection->transaction_kind = kind_of(command_of(run->text));
  connection->transaction_start = run->start;
  connection->transaction_wait = run->wait_ns;
  connection->transaction_statements = 0;
  connection->idle_ns = 0;
  connection->last_end = run->end;
  connection->writer_ns = connection->transaction_kind[0] == 'd' ? -1 : run->wait_ns;
  if (UNLIKELY(connection->io != NULL)) io_transaction_began(connection);
}

static void ended(struct connection *connection, const char *outcome, int64_t now,
                  const struct ended_run *run) {
  struct transaction_event event = {
      .store_id = connection->id,
      .outcome = outcome,
      .wait_ns = connection->transaction_wait,
      .total_ns = now - connection->transaction_start,
      .transaction_id = connection->transaction_id,
      .kind = connection->transaction_kind,
      .writer_ns = connection->writer_ns,
      .statements = connection->transaction_statements,
      .idle_ns = connection->idle_ns,
      .received = received_count(),
  };
  if (event.writer_ns >= 0 && run) event.log_bytes = log_bytes(connection, now);
  connection->transaction_id = 0;
  if (UNLIKELY(connection->io && run && outcome[0] == 'c')) io_committed(connection, run, &event);
  emit(EVENT_transaction, &event);
}

static void autocommitted(struct connection *connection, const struct ended_run *run,
                          bool is_rolled_back) {
  struct transaction_event event = {
      .store_id = connection->id,
      .outcome = is_rolled_back ? "rollback" : "commit",
      .wait_ns = run->wait_ns,
      .total_ns = run->end - run->start,
      .kind = "autocommit",
      .writer_ns = is_rolled_back ? -1 : run->wait_ns,
      .statements = 1,
      .received = received_count(),
  };
  if (!is_rolled_back) event.log_bytes = log_bytes(connection, run->end);
  if (UNLIKELY(connection->io && !is_rolled_back)) io_committed(connection, run, &event);
  emit(EVENT_transaction, &event);
}

// Whether the transaction writes to a database that others may open: not to "temp" alone. SQLite numbers
// main 0, temp 1 and attached databases from 2 on.
static bool has_write_lock(const struct connection *connection) {
  const struct sqlite_api *api = &connection->copy->api;
  sqlite3 *handle = connection->handle;
  if (api->txn_state(handle, NULL) != SQLITE_TXN_WRITE) return false;
  if (!api->db_name) return api->txn_state(handle, "main") == SQLITE_TXN_WRITE;
  const char *name;
  for (int i = 0; (name = api->db_name(handle, i)) != NULL; i++)
    if (i != 1 && api->txn_state(handle, name) == SQLITE_TXN_WRITE) return true;
  return false;
}

static bool is_writer(struct connection *connection, const struct statement_run_event *event) {
  if (event->readonly) return false;
  return connection->copy->api.txn_state ? has_write_lock(connection) : event->changes > 0;
}

static bool is_rollback(const char *sql) {
  return strncasecmp(sql, "COMMIT", 6) != 0 && strncasecmp(sql, "END", 3) != 0 &&
         strncasecmp(sql, "RELEASE", 7) != 0;
}

// Of a database in memory no pages are written: INSERT, UPDATE and DELETE may change no row. SQLite counts their
// changes when they end; one with RETURNING may be reset before, and has then returned rows that it changed.
// CREATE IF NOT EXISTS of an existing object and DROP IF EXISTS of a missing one take five instructions of SQLite's
// virtual machine, all others 15 and more. Without counts each one counts as a change.
static bool has_no_effect(const struct ended_run *run) {
  if (LIKELY(run->effect != EFFECT_UNKNOWN)) return run->effect == EFFECT_NONE;
  switch (run->text->write) {
    case WRITES_ROWS: return !run->has_changed_rows && run->event.rows == 0;
    case WRITES_SCHEMA: return run->event.vm_steps > 0 && run->event.vm_steps < 10;
    default: return false;
  }
}

// Sets the run's transaction, and reports the transaction if the run ended it.
void transaction_after(struct connection *connection, struct ended_run *run, int code) {
  struct statement_run_event *event = &run->event;
  bool is_open = connection->copy->api.get_autocommit(connection->handle) == 0;
  bool has_failed = code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE;
  if (is_open && connection->transaction_id == 0) began(connection, run);
  event->transaction_id = connection->transaction_id;
  if (connection->transaction_id == 0) {
    bool may_write = run->text->write != WRITES_NOTHING && !event->readonly;
    // Changes that OR FAIL made before it failed are committed. Changes of triggers are counted also when they are
    // undone.
    bool is_rolled_back = has_failed && event->changes == 0;
    if (may_write && (has_failed || !has_no_effect(run))) autocommitted(connection, run, is_rolled_back);
    return;
  }
  connection->transaction_statements++;
  if (connection->transaction_statements > 1) connection->transaction_wait += run->wait_ns;
  if (run->start > connection->last_end)
    connection->idle_ns += run->start - connection->last_end;
  connection->last_end = run->end;
  if (connection->writer_ns < 0 && is_open && is_writer(connection, event))
    connection->writer_ns = run->start - connection->transaction_start + run->wait_ns;
  if (!is_open)
    ended(connection, has_failed || is_rollback(command_of(run->text)) ? "rollback" : "commit", run->end,
          run);
}

void transaction_at_close(struct connection *connection) {
  if (connection->transaction_id == 0) return;
  int64_t now = clock_now();
  connection->idle_ns += now - connection->last_end;
  ended(connection, "rollback", now, NULL);
}
