// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "state.h"
#include "statements.h"

int step_recorded(struct copy *copy, sqlite3_stmt *stmt);
int end_fetch(struct statement *statement, int code);
int reset_recorded(struct copy *copy, sqlite3_stmt *stmt);
int finalize_recorded(struct copy *copy, sqlite3_stmt *stmt);

struct timed_callback {
  row_callback callback;
  void *context;
};
int call_timed(void *timed_callback, int count, char **values, char **names);
bool begin_exec(struct exec *exec, struct copy *copy, sqlite3 *handle);
void end_exec(struct exec *exec, const char *sql, int code);
