// SPDX-License-Identifier: Apache-2.0

// The database files that connections of this process have open.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

// The entries that were ever used; 0 in most processes.
extern unsigned open_database_entries;
// The open databases by the last byte of the hash of their name.
extern unsigned short open_database_names[256];

// The hash of the last component of a path, without `-wal`, `-shm` or `-journal`, whose kind is set.
uint64_t hash_of_name(const char *path, enum file_kind *kind);

static inline bool may_be_open_database(const char *path) {
  enum file_kind kind;
  return UNLIKELY(__atomic_load_n(&open_database_names[hash_of_name(path, &kind) & 255], __ATOMIC_RELAXED) > 0);
}

// Whether a file is one of an open database. Without its path, only the database itself is found.
bool match_status(const struct stat *status, const char *path, struct file_match *match);
// The same for a path that a program deletes or renames: another name of the file does not count.
bool match_name(int folder, const char *path, struct file_match *match);

const char *name_of_kind(enum file_kind kind);
const char *suffix_of_kind(enum file_kind kind);

#pragma GCC visibility pop
