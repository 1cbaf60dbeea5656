/* SPDX-License-Identifier: Apache-2.0 */

#include "CFaultyFiles.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct CFaultyFiles {
  sqlite3_vfs vfs;
  sqlite3_vfs *real;
  /* Guards all below. */
  pthread_mutex_t mutex;
  pthread_cond_t was_busy;
  unsigned busy;
  unsigned calls, number;
  bool stays_broken;
  enum CFaultyFiles_Fault fault;
  struct CFaultyFiles_Outcome outcome;
};

/* SQLite allocates szOsFile bytes: ours, and the real VFS's behind them. */
struct File {
  sqlite3_file base;
  CFaultyFiles *files;
};

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((struct File *)file + 1); }
static CFaultyFiles *files(sqlite3_file *file) { return ((struct File *)file)->files; }

/* Whether the call is to fail. */
static bool fails(CFaultyFiles *files, unsigned call, enum CFaultyFiles_Fault *fault) {
  pthread_mutex_lock(&files->mutex);
  bool result = false;
  if (files->calls & call) {
    unsigned number = ++files->outcome.seen;
    result = files->stays_broken ? number >= files->number : number == files->number;
    *fault = files->fault;
    if (result && files->outcome.failed++ == 0) files->outcome.call = call;
  }
  pthread_mutex_unlock(&files->mutex);
  if (result && *fault == CFaultyFiles_kill) raise(SIGKILL);
  return result;
}

static int code(CFaultyFiles *files, unsigned call, int error) {
  enum CFaultyFiles_Fault fault;
  if (!fails(files, call, &fault)) return SQLITE_OK;
  return fault == CFaultyFiles_full ? SQLITE_FULL : error;
}

static int lock_result(CFaultyFiles *files, int result) {
  if (result == SQLITE_BUSY) {
    pthread_mutex_lock(&files->mutex);
    files->busy++;
    pthread_cond_broadcast(&files->was_busy);
    pthread_mutex_unlock(&files->mutex);
  }
  return result;
}

#define FAIL(file, call, error)                       \
  do {                                                \
    int failure = code(files(file), call, error);     \
    if (failure != SQLITE_OK) return failure;         \
  } while (0)
#define REAL(file, method, ...) real(file)->pMethods->method(real(file), ##__VA_ARGS__)

static int file_close(sqlite3_file *file) { return REAL(file, xClose); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  FAIL(file, CFaultyFiles_read, SQLITE_IOERR_READ);
  return REAL(file, xRead, bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  enum CFaultyFiles_Fault fault;
  if (!fails(files(file), CFaultyFiles_write, &fault))
    return REAL(file, xWrite, bytes, count, offset);
  if (fault == CFaultyFiles_short_write) REAL(file, xWrite, bytes, count / 2, offset);
  return fault == CFaultyFiles_full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  FAIL(file, CFaultyFiles_truncate, SQLITE_IOERR_TRUNCATE);
  return REAL(file, xTruncate, size);
}

static int file_sync(sqlite3_file *file, int flags) {
  FAIL(file, CFaultyFiles_sync, SQLITE_IOERR_FSYNC);
  return REAL(file, xSync, flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  FAIL(file, CFaultyFiles_size, SQLITE_IOERR_FSTAT);
  return REAL(file, xFileSize, size);
}

static int file_lock(sqlite3_file *file, int lock) {
  FAIL(file, CFaultyFiles_lock, SQLITE_IOERR_LOCK);
  return lock_result(files(file), REAL(file, xLock, lock));
}

/* A released lock is released: SQLite does not check whether that failed. */
static int file_unlock(sqlite3_file *file, int lock) { return REAL(file, xUnlock, lock); }

static int file_reserved(sqlite3_file *file, int *result) {
  FAIL(file, CFaultyFiles_lock, SQLITE_IOERR_CHECKRESERVEDLOCK);
  return REAL(file, xCheckReservedLock, result);
}

/* Most operations do not access the disk, and no VFS fails them. */
static int file_control(sqlite3_file *file, int operation, void *argument) {
  if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_SYNC)
    FAIL(file, CFaultyFiles_control, SQLITE_IOERR);
  return REAL(file, xFileControl, operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return REAL(file, xSectorSize); }
static int file_characteristics(sqlite3_file *file) { return REAL(file, xDeviceCharacteristics); }

static int shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
  FAIL(file, CFaultyFiles_shm_map, SQLITE_IOERR_SHMMAP);
  return REAL(file, xShmMap, page, size, extend, memory);
}

static int shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  if (flags & SQLITE_SHM_LOCK) FAIL(file, CFaultyFiles_shm_lock, SQLITE_IOERR_SHMLOCK);
  return lock_result(files(file), REAL(file, xShmLock, offset, count, flags));
}

static void shm_barrier(sqlite3_file *file) { REAL(file, xShmBarrier); }
static int shm_unmap(sqlite3_file *file, int delete) { return REAL(file, xShmUnmap, delete); }

/* Version 2: without memory-mapped reads, which are off by default. */
static const sqlite3_io_methods methods = {
    2,           file_close,   file_read,        file_write,           file_truncate,
    file_sync,   file_size,    file_lock,        file_unlock,          file_reserved,
    file_control, file_sector_size, file_characteristics, shm_map, shm_lock,
    shm_barrier, shm_unmap,
};

#define VFS(vfs) ((CFaultyFiles *)(vfs)->pAppData)

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  file->pMethods = NULL;
  int failure = code(VFS(vfs), CFaultyFiles_open, SQLITE_CANTOPEN);
  if (failure != SQLITE_OK) return failure;
  ((struct File *)file)->files = VFS(vfs);
  int result = VFS(vfs)->real->xOpen(VFS(vfs)->real, name, real(file), flags, out);
  if (real(file)->pMethods) file->pMethods = &methods;
  return result;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_dir) {
  int failure = code(VFS(vfs), CFaultyFiles_delete, SQLITE_IOERR_DELETE);
  if (failure != SQLITE_OK) return failure;
  return VFS(vfs)->real->xDelete(VFS(vfs)->real, name, sync_dir);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  int failure = code(VFS(vfs), CFaultyFiles_access, SQLITE_IOERR_ACCESS);
  if (failure != SQLITE_OK) return failure;
  return VFS(vfs)->real->xAccess(VFS(vfs)->real, name, flags, result);
}

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int count, char *path) {
  return VFS(vfs)->real->xFullPathname(VFS(vfs)->real, name, count, path);
}

CFaultyFiles *CFaultyFiles_register(const char *name) {
  sqlite3_initialize();
  sqlite3_vfs *real = sqlite3_vfs_find(NULL);
  CFaultyFiles *files = calloc(1, sizeof *files);
  if (!real || !files) return NULL;
  files->real = real;
  pthread_mutex_init(&files->mutex, NULL);
  pthread_cond_init(&files->was_busy, NULL);
  /* Time, randomness and sleep are the real VFS's. They ignore their vfs. */
  files->vfs = *real;
  files->vfs.pNext = NULL;
  files->vfs.zName = strdup(name);
  files->vfs.pAppData = files;
  files->vfs.szOsFile = (int)sizeof(struct File) + real->szOsFile;
  files->vfs.xOpen = vfs_open;
  files->vfs.xDelete = vfs_delete;
  files->vfs.xAccess = vfs_access;
  files->vfs.xFullPathname = vfs_full_pathname;
  if (sqlite3_vfs_register(&files->vfs, 0) == SQLITE_OK) return files;
  free(files);
  return NULL;
}

void CFaultyFiles_unregister(CFaultyFiles *files) {
  sqlite3_vfs_unregister(&files->vfs);
  pthread_cond_destroy(&files->was_busy);
  pthread_mutex_destroy(&files->mutex);
  free((char *)files->vfs.zName);
  free(files);
}

void CFaultyFiles_arm(CFaultyFiles *files, unsigned calls, unsigned number, bool stays_broken,
                      enum CFaultyFiles_Fault fault) {
  pthread_mutex_lock(&files->mutex);
  files->calls = calls;
  files->number = number;
  files->stays_broken = stays_broken;
  files->fault = fault;
  files->outcome = (struct CFaultyFiles_Outcome){0};
  pthread_mutex_unlock(&files->mutex);
}

struct CFaultyFiles_Outcome CFaultyFiles_repair(CFaultyFiles *files) {
  pthread_mutex_lock(&files->mutex);
  files->calls = 0;
  struct CFaultyFiles_Outcome outcome = files->outcome;
  pthread_mutex_unlock(&files->mutex);
  return outcome;
}

void CFaultyFiles_wait_for_busy(CFaultyFiles *files, unsigned count) {
  pthread_mutex_lock(&files->mutex);
  while (files->busy < count) pthread_cond_wait(&files->was_busy, &files->mutex);
  pthread_mutex_unlock(&files->mutex);
}
