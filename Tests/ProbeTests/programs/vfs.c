// SPDX-License-Identifier: Apache-2.0

// Prints the answers of a connection's VFS: its name and version, the methods of its files, and the results of file
// controls and of a VFS of the program's own, which precedes the default one.

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int code) {
  if (code == SQLITE_OK) return;
  fprintf(stderr, "code %d\n", code);
  exit(1);
}

// Which methods are there: a letter each.
static void print_methods(const char *name, sqlite3_file *file) {
  const sqlite3_io_methods *m = file->pMethods;
  printf("%s: version %d, %d%d%d%d%d%d%d%d%d%d%d%d", name, m->iVersion, !!m->xClose, !!m->xRead,
         !!m->xWrite, !!m->xTruncate, !!m->xSync, !!m->xFileSize, !!m->xLock, !!m->xUnlock,
         !!m->xCheckReservedLock, !!m->xFileControl, !!m->xSectorSize, !!m->xDeviceCharacteristics);
  if (m->iVersion >= 2) printf("%d%d%d%d", !!m->xShmMap, !!m->xShmLock, !!m->xShmBarrier, !!m->xShmUnmap);
  if (m->iVersion >= 3) printf("%d%d", !!m->xFetch, !!m->xUnfetch);
  printf(" sector %d device %d\n", m->xSectorSize ? m->xSectorSize(file) : 0,
         m->xDeviceCharacteristics ? m->xDeviceCharacteristics(file) : 0);
}

static void controls(sqlite3 *db) {
  char *name = NULL;
  int moved = -1, persist = -1, powersafe = -1, chunk = 65536;
  sqlite3_int64 mmap = -1;
  sqlite3_vfs *vfs = NULL;
  sqlite3_file *file = NULL, *journal = NULL;
  unsigned version = 0;
  printf("name %d %s\n", sqlite3_file_control(db, "main", SQLITE_FCNTL_VFSNAME, &name),
         name ? name : "none");
  sqlite3_free(name);
  printf("moved %d %d\n", sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved), moved);
  printf("persist %d %d\n", sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &persist), persist);
  printf("powersafe %d %d\n", sqlite3_file_control(db, "main", SQLITE_FCNTL_POWERSAFE_OVERWRITE, &powersafe),
         powersafe);
  printf("mmap %d %lld\n", sqlite3_file_control(db, "main", SQLITE_FCNTL_MMAP_SIZE, &mmap), mmap);
  printf("chunk %d\n", sqlite3_file_control(db, "main", SQLITE_FCNTL_CHUNK_SIZE, &chunk));
  printf("unknown %d\n", sqlite3_file_control(db, "main", 98765, &chunk));
  check(sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, &vfs));
  check(sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file));
  check(sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal));
  check(sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &version));
  printf("vfs %s version %d, default %d, file size %d, system calls %d\n", vfs->zName, vfs->iVersion,
         vfs == sqlite3_vfs_find(NULL), vfs->szOsFile, vfs->xNextSystemCall(vfs, NULL) != NULL);
  if (file->pMethods) print_methods("file", file);
  if (journal->pMethods) print_methods("journal", journal);
}

// A VFS that is derived from the default one, as many programs have it.
static int opened;
static sqlite3_vfs derived;
static sqlite3_vfs *base;
static int open_derived(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  opened++;
  return base->xOpen(base, name, file, flags, out);
}

static void use(const char *path, const char *vfs, const char *mode) {
  sqlite3 *db;
  char sql[64];
  check(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs));
  snprintf(sql, sizeof sql, "PRAGMA journal_mode = %s", mode);
  check(sqlite3_exec(db, sql, NULL, NULL, NULL));
  check(sqlite3_exec(db, "PRAGMA mmap_size = 1048576; CREATE TABLE IF NOT EXISTS t(a);"
                     "BEGIN; INSERT INTO t VALUES (randomblob(9000))", NULL, NULL, NULL));
  controls(db);
  check(sqlite3_exec(db, "COMMIT; SELECT count(*) FROM t", NULL, NULL, NULL));
  check(sqlite3_close(db));
}

int main(int count, char **arguments) {
  if (count != 2) return 64;
  static const char *const names[] = {NULL, "unix", "unix-excl", "unix-dotfile", "unix-none", "derived"};
  base = sqlite3_vfs_find(NULL);
  derived = *base;
  derived.zName = "derived";
  derived.xOpen = open_derived;
  check(sqlite3_vfs_register(&derived, 0));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    use(arguments[1], names[i], i < 3 ? "wal" : "delete");
    check(remove(arguments[1]));
  }
  printf("opened by the derived VFS: %d\n", opened > 0);
  // Read-only, and in memory.
  use(":memory:", NULL, "memory");
  return 0;
}
