// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "connections.h"
#include "state.h"

enum { HASHED_PARAMETERS = 16, KEPT_COLUMNS = 16 };

// The state of one prepared statement. Never freed, but reused for another statement: compare
// `stmt` before use.
struct statement {
  struct statement *next;
  sqlite3_stmt *stmt;
  struct connection *connection;
  struct text *text;
  // The counters at the end of the last run: the program's own are never reset.
  uint64_t raw_hash;
  uint32_t counters[9];
  uint32_t memory_runs;
  uint64_t memory;
  // Hashes of the bound values by parameter.
  uint32_t bound_count;
  bool has_unknown_values;
  uint64_t bind_hash;
  struct bound_hash {
    // With the parameter's number, and of the value alone.
    uint64_t mixed, value;
  } hashes[HASHED_PARAMETERS];
  // The hashes of the first row: see origins.c.
  uint64_t first_row[KEPT_COLUMNS];
  struct list *list;
  uint64_t list_id;
  struct origin {
    uint64_t list_id, row, own_values;
  } origin;
  uint64_t bound_rest;
  struct bound_values values;
  // The run.
  bool is_running;
  bool is_traced_run;
  // The recording that it began in: another one may begin before it ends.
  unsigned recording;
  int64_t start;
  int64_t sqlite_ns;
  // When the last timed step ended.
  int64_t last_row;
  int64_t shortest_gap;
  uint64_t rows;
  uint64_t result_hash;
  uint64_t caller_id;
  int64_t prepare_ns;
  int total_changes;
  // Before a statement that may write: the pages and the versions of the databases, where they count.
  bool counts_pages, counts_versions;
  uint32_t pages, versions;
  // Few steps of a long fetch are timed: `untimed` of `skipped` steps remain until the next timed
  // one.
  uint32_t untimed;
  uint32_t skipped;
  uint64_t timed_steps;
  int64_t last_step;
};

static inline bool is_of_recording(const struct statement *statement) {
  return statement->recording == current_recording;
}

// Keeps how long a statement took to prepare until it runs on this thread.
void statement_prepared(sqlite3_stmt *stmt, int64_t ns);
struct statement *find_statement(sqlite3_stmt *stmt);
struct statement *add_statement(sqlite3_stmt *stmt, struct connection *connection);
void forget_statement(sqlite3_stmt *stmt);
