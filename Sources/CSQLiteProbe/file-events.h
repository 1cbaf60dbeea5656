// SPDX-License-Identifier: Apache-2.0

// The program's own operations on the files of its open databases, beside SQLite.

#pragma once

#include <stdbool.h>

#include "open-databases.h"

#pragma GCC visibility push(hidden)

// Whether a database is open in this process.
static inline bool is_watching(void) {
  return UNLIKELY(__atomic_load_n(&file_watch.database_count, __ATOMIC_RELAXED) > 0);
}

// Whether a file is to be looked up: one with the name of an open database is, and of the others, which may be another
// name of it, the first ones and then one of many.
// A look costs a system call: with these numbers less than 1% of an open and a close.
static inline bool is_due(int *left) {
  int next = __atomic_load_n(left, __ATOMIC_RELAXED) - 1;
  __atomic_store_n(left, next, __ATOMIC_RELAXED);
  return UNLIKELY(next <= 0);
}

static inline bool is_due_by_path(const char *path) {
  return path && (may_be_open_database(path) || is_due(&file_watch.opens_left));
}

static inline bool may_be_marked(int descriptor) {
  return UNLIKELY(__atomic_load_n(&file_watch.marked, __ATOMIC_RELAXED) >> (descriptor & 63) & 1);
}

static inline bool is_due_by_descriptor(int descriptor) {
  return descriptor >= 0 && (may_be_marked(descriptor) || is_due(&file_watch.closes_left));
}

// Each keeps errno. `caller` is the return address of the hook.
void file_opened(int descriptor, const char *path, bool is_truncated, const void *caller);
void file_will_close(int descriptor, const void *caller);
void file_will_be_truncated(int descriptor, const char *path, const void *caller);
void file_will_be_deleted(int folder, const char *path, const void *caller);
void file_will_be_renamed(int folder, const char *path, int new_folder, const char *new_path, const void *caller);

// A statement of a connection that was opened before fork() runs in the child.
void connection_was_inherited(uint64_t connection_id, const char *path, bool may_lock);

#pragma GCC visibility pop
