// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The changes of a statement, by its first word.
enum write { WRITES_NOTHING, WRITES_ROWS, WRITES_SCHEMA, WRITES_OTHERS };

// One SQL text of the process. Never freed while `is_shared`.
struct text {
  struct text *next;
  uint64_t lookup_hash;
  uint64_t statement_id;
  // When the statement was announced last.
  unsigned generation;
  unsigned uses;
  int64_t announced_ns;
  // Of callers that are expensive to look up: the callers looked up first, and the runs until the next one.
  unsigned caller_lookups;
  unsigned runs_until_lookup;
  unsigned random;
  int32_t caller_thread;
  uint64_t first_caller;
  bool has_several_callers;
  // The line that last ran it.
  uint64_t counted_at;
  // The tuples of values that were recorded.
  struct value_sample *values;
  // Its literals, where it has no parameters: see origins.c.
  struct literals *literals;
  // The runs in a row that returned one row.
  unsigned single_rows;
  bool is_shared;
  enum write write;
  bool is_checkpoint;
  size_t length;
  // Where the first word begins, behind comments.
  size_t first_word;
  char sql[];
};

static inline const char *command_of(const struct text *text) { return text->sql + text->first_word; }

struct text *text_of_sql(const char *sql);
void release_text(struct text *text);
void announce_text(uint64_t connection_id, struct text *text);
