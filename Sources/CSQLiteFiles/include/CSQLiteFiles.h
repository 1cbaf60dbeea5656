// SPDX-License-Identifier: Apache-2.0

// SQLite's reads, writes and syncs, counted at the calls of its VFS.
//
// Used by the probe, which observes copies of SQLite of any version, and by the store: so the layouts of
// SQLite's structures are declared here, and no function of SQLite is linked.

#ifndef CSQLiteFiles_h
#define CSQLiteFiles_h

#include <stdbool.h>
#include <stdint.h>

#include "result-hash.h"

// The counts of one thread. Times are in nanoseconds.
struct CSQLiteFiles_counts {
  uint64_t reads, read_bytes;
  int64_t read_ns;
  uint64_t writes, write_bytes;
  int64_t write_ns;
  // fsync() of files, and of the folder of a journal that is created or removed.
  uint64_t syncs;
  int64_t sync_ns;
  // The part outside of checkpoints: writes to the write-ahead log or the rollback journal, writes
  // to the database file, and syncs.
  uint64_t log_writes;
  int64_t log_ns;
  uint64_t file_writes;
  int64_t file_ns;
  uint64_t commit_syncs;
  int64_t commit_sync_ns;
  // Checkpoints, from taking their lock until releasing it.
  uint64_t checkpoints, checkpoint_writes, checkpoint_syncs;
  int64_t checkpoint_ns;
};

// The counts of the calling thread since its last call of this function.
struct CSQLiteFiles_counts CSQLiteFiles_take(void);

void CSQLiteFiles_add(struct CSQLiteFiles_counts *sum, const struct CSQLiteFiles_counts *counts);

// Called when a database is opened, and for each call of a file; NULL means true.
struct CSQLiteFiles_conditions {
  bool (*takes_database)(void);
  bool (*is_counting)(void);
};
extern struct CSQLiteFiles_conditions CSQLiteFiles_conditions;

// Counts the calls of all files that SQLite's own VFSs open from now on. `find` is sqlite3_vfs_find().
void CSQLiteFiles_observe(void *(*find)(const char *name));

// Counts the calls of a database file that is open already.
void CSQLiteFiles_wrap(void *file, const char *path);

// Registers, once, a VFS that counts calls and forwards them to SQLite's default VFS. Returns its
// name, or NULL if there is no default VFS.
const char *CSQLiteFiles_vfs(void *(*find)(const char *name), int (*add)(void *vfs, int is_default));

// Registers a VFS that makes, changes and removes no file, after CSQLiteFiles_vfs(). `database` is
// sqlite3_database_file_object(). Returns its name, or NULL.
const char *CSQLiteFiles_guard(bool counts, int (*add)(void *vfs, int is_default),
                               void *(*database)(const char *name));

// Copies a file that SQLite may have open in this process, and keeps its locks. Returns an errno, EAGAIN
// where a program has locked the database for itself.
int CSQLiteFiles_copy(const char *from, const char *to);

#endif
