// SPDX-License-Identifier: Apache-2.0

// The database files that connections of this process have open.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "macros.h"

#pragma GCC visibility push(hidden)

enum file_kind { FILE_DATABASE, FILE_LOG, FILE_INDEX, FILE_JOURNAL };

// A reader takes no lock: it may be a signal handler. An entry is used again, and never freed.
struct open_database {
  uint64_t device, inode;
  // The hash of the last component of the path.
  uint64_t name_hash;
  uint64_t connection_id;
  unsigned users;
  char path[1024];
};

struct file_match {
  const struct open_database *database;
  enum file_kind kind;
  uint64_t device, inode;
};

// Adds a user to the entry of a database; returns NULL if there is no file, or no room.
struct open_database *add_open_database(const char *path, uint64_t connection_id);
void remove_open_database(struct open_database *database);
// In the child of fork(), which has none of the parent's locks.
void forget_open_databases(void);

// The state that each opening and closing of a file reads: one cache line, since a system call leaves little in the
// cache.
struct file_watch {
  // The databases that are open now.
  unsigned database_count;
  // Openings and closings of other files until the next look.
  int opens_left, closes_left;
  // LTTng has no descriptor below.
  unsigned first_of_lttng;
  // Which descriptors may be marked, by their last six bits.
  uint64_t marked;
  // Which paths may be those of an open database, by a hash of their ending.
  uint64_t endings[4];
} __attribute__((aligned(64)));
extern struct file_watch file_watch;

// The hash of the last component of a path, without `-wal`, `-shm` or `-journal`; the suffix sets the kind.
uint64_t hash_of_name(const char *path, enum file_kind *kind);

static inline uint32_t hash_of_ending(uint32_t ending) { return ending * 0x9e3779b1u >> 24; }

// Whether a file of an open database has the last four bytes of the name.
bool has_ending_of_open_database(const char *path);

// Four bytes, since a hash of the whole name takes three times as long.
static inline bool may_be_open_database(const char *path) {
  size_t length = strlen(path);
  uint32_t ending;
  if (UNLIKELY(length < sizeof ending)) return has_ending_of_open_database(path);
  memcpy(&ending, path + length - sizeof ending, sizeof ending);
  uint32_t hash = hash_of_ending(ending);
  bool is_possible = __atomic_load_n(&file_watch.endings[hash >> 6], __ATOMIC_RELAXED) >> (hash & 63) & 1;
  return UNLIKELY(is_possible) && has_ending_of_open_database(path);
}

// Whether a file is one of an open database. Without its path, only the database itself is found.
bool match_status(const struct stat *status, const char *path, struct file_match *match);
// The same for a path that a program deletes or renames: another name of the file does not count.
bool match_name(int folder, const char *path, struct file_match *match);

const char *name_of_kind(enum file_kind kind);
const char *suffix_of_kind(enum file_kind kind);

#pragma GCC visibility pop
