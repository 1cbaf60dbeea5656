/* SPDX-License-Identifier: Apache-2.0 */

#ifndef CFAULTYFILES_H
#define CFAULTYFILES_H

#include <stdbool.h>

/* An SQLite VFS that passes every call on to the default one, and fails selected calls. In C,
 * because a VFS is a table of C functions over memory that SQLite allocates. */
typedef struct CFaultyFiles CFaultyFiles;

/* The calls that can fail; one bit each. */
enum CFaultyFiles_Call {
  CFaultyFiles_open = 1 << 0,
  CFaultyFiles_delete = 1 << 1,
  CFaultyFiles_access = 1 << 2,
  CFaultyFiles_read = 1 << 3,
  CFaultyFiles_write = 1 << 4,
  CFaultyFiles_truncate = 1 << 5,
  CFaultyFiles_sync = 1 << 6,
  CFaultyFiles_size = 1 << 7,
  CFaultyFiles_lock = 1 << 8,
  CFaultyFiles_control = 1 << 9,
  CFaultyFiles_shm_map = 1 << 10,
  CFaultyFiles_shm_lock = 1 << 11,
};

/* How they fail. */
enum CFaultyFiles_Fault {
  /* The SQLITE_IOERR of the call. */
  CFaultyFiles_error,
  /* SQLITE_FULL. */
  CFaultyFiles_full,
  /* A write puts down the first half of its bytes, and then is an error. */
  CFaultyFiles_short_write,
  /* The process ends by SIGKILL before the call. */
  CFaultyFiles_kill,
};

struct CFaultyFiles_Outcome {
  /* Calls of the selected kinds since they were armed. */
  unsigned seen;
  /* How many of them failed. */
  unsigned failed;
  /* The first of them, as a CFaultyFiles_Call; 0 if none. */
  unsigned call;
};

/* Registers a VFS under a name that sqlite3_open_v2 takes; NULL if there is no memory. */
CFaultyFiles *CFaultyFiles_register(const char *name);
/* Once no connection uses it. */
void CFaultyFiles_unregister(CFaultyFiles *files);

/* Fails the call with this number among the given kinds, counted from 1, and all behind it if the
 * disk is to stay broken. */
void CFaultyFiles_arm(CFaultyFiles *files, unsigned calls, unsigned number, bool stays_broken,
                      enum CFaultyFiles_Fault fault);
struct CFaultyFiles_Outcome CFaultyFiles_repair(CFaultyFiles *files);

/* Waits until so many calls for a lock were answered SQLITE_BUSY since the VFS was made. */
void CFaultyFiles_wait_for_busy(CFaultyFiles *files, unsigned count);

#endif
