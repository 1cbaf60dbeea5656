// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "copies.h"
#include "events.h"
#include "open-databases.h"
#include "texts.h"

#pragma GCC visibility push(hidden)

// Whether a statement in autocommit mode changed a database file.
enum effect { EFFECT_UNKNOWN, EFFECT_NONE, EFFECT_FILE };

// A run that has ended.
struct ended_run {
  struct statement_run_event event;
  struct text *text;
  sqlite3_stmt *stmt;
  int64_t start, end;
  // The part of it that was spent waiting for locks.
  int64_t wait_ns;
  uint64_t waits;
  // Whether it inserted, updated or deleted rows, also in triggers.
  bool has_changed_rows;
  enum effect effect;
};

// Further attached databases are not watched.
enum { MAX_WATCHED = 11 };

// An open connection. Never freed: SQLite may call back on a connection after a deferred close.
struct connection {
  struct connection *next;
  sqlite3 *handle;
  struct copy *copy;
  uint64_t id;
  enum way way;
  bool is_excluded;
  bool is_closed;
  // The recording that it is known in, and whether a thread makes it known.
  unsigned recording;
  bool is_claimed;
  // Whether sqlite3_close_v2() left it open until its last statement is finalized.
  bool is_lingering;
  // Whether our trace callback is installed, its mask, and whether it was ever called.
  bool is_traced;
  bool is_called;
  unsigned mask;
  // Whether the main database is a file.
  bool has_file;
  // A number of its name, if it is a database in memory that connections share.
  uint64_t memory;
  // Whether the functions that the program calls on it are hooked; callbacks see the rest.
  bool is_hooked;
  // Whether it ran statements that were not observed, before the library was loaded.
  bool is_adopted;
  unsigned announced_generation;
  // The count of forks when it was opened, or its use in a child was reported.
  unsigned forks;
  // The main database, and attached ones.
  struct open_database *databases[MAX_WATCHED];
  int database_count;
  // The program's own callbacks, which ours pass on to. Guarded by the connection's mutex.
  unsigned program_mask;
  trace_callback program_trace;
  void *program_trace_context;
  plain_trace_callback program_plain_trace;
  void *program_plain_context;
  profile_callback program_profile;
  void *program_profile_context;
  // Whether SQLite calls it for itself, and not only where another callback has runs timed.
  bool is_profiled;
  busy_callback program_busy;
  void *program_busy_context;
  // The transaction that is open.
  uint64_t transaction_id;
  const char *transaction_kind;
  int64_t transaction_start;
  int64_t transaction_wait;
  int64_t writer_ns;
  uint64_t transaction_statements;
  int64_t idle_ns;
  int64_t last_end;
  int64_t log_checked;
  // A run that callbacks saw to its end, until its result code is known.
  // With STORE_TRACE_IO: the reads and writes of its statements.
  struct connection_io *io;
  bool has_pending;
  struct ended_run pending;
  int exec_depth;
};

struct connection *find_connection(sqlite3 *handle);
// Registers a connection.
struct connection *add_connection(struct copy *copy, sqlite3 *handle, enum way way, bool is_hooked);
// Whether its main database is a file.
void find_file(struct connection *connection);
// For a thread that makes a connection known, which may be one that is open already. NULL if another thread does so.
struct connection *claim_connection(sqlite3 *handle);
void linger(struct connection *connection);
// How many connections linger.
extern int lingering;
// The connection that lingers until this statement, its last one, is finalized; or NULL.
struct connection *closed_with(struct copy *copy, sqlite3_stmt *stmt);
// Reports a connection once, and again after a fork or when a listener begins, then without the line that opened it.
void announce_connection(struct connection *connection, uint64_t opener_id);
void announce_attached(const struct connection *connection);
// Looks at the names of its databases, of which some may have been attached or detached.
void watch_databases(struct connection *connection);
void unwatch_databases(struct connection *connection);
// Whether the process that opened it is a parent of this one, and this was not reported.
bool is_newly_inherited(struct connection *connection);

#pragma GCC visibility pop
